"""A transformer layer forward and backward, attention by itself, an embedding, an LSTM and a GRU."""
import torch
from torch import nn

layer = nn.TransformerEncoderLayer(d_model=256, nhead=8, batch_first=True).cuda()
embedding = nn.Embedding(1000, 256).cuda()
optimizer = torch.optim.AdamW([*layer.parameters(), *embedding.parameters()], foreach=True)
for step in range(3):
    tokens = torch.randint(0, 1000, (8, 64)).cuda()
    loss = layer(embedding(tokens)).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
loss.item()

for dtype in (torch.float16, torch.float32):
    query = torch.randn(2, 8, 128, 64, device="cuda", dtype=dtype, requires_grad=True)
    for causal in (False, True):
        out = nn.functional.scaled_dot_product_attention(query, query, query, is_causal=causal)
        out.float().sum().backward()

for kind in (nn.LSTM, nn.GRU):
    recurrent = kind(64, 128, num_layers=2, batch_first=True, dropout=0.1, bidirectional=True).cuda()
    outputs, _ = recurrent(torch.randn(4, 20, 64).cuda())
    assert outputs.shape == (4, 20, 256)
    outputs.sum().backward()
    assert all(parameter.grad is not None for parameter in recurrent.parameters())
torch.cuda.synchronize()
