
  // Markdown for an issue or a pull request. From file:// the clipboard may be refused: then the old way,
  // and where that is refused too, the text itself, selected.
  async function copied(text) {
    try {
      await navigator.clipboard.writeText(text);
      return true;
    } catch { /* not there, or not allowed */ }
    const box = document.body.appendChild(document.createElement("textarea"));
    box.value = text;
    box.className = "unseen";
    box.select();
    let done = false;
    try { done = document.execCommand("copy"); } catch { /* not there either */ }
    box.remove();
    return done;
  }

  function offer(button, text) {
    const box = document.createElement("textarea");
    box.className = "by-hand";
    box.readOnly = true;
    box.value = text;
    box.rows = Math.min(12, text.split("\n").length + 1);
    box.setAttribute("aria-label", "The text as Markdown, to be copied by hand");
    button.after(box);
    button.textContent = "Copy this";
    box.focus();
    box.select();
  }

  for (const button of all(document, "[data-copy]")) {
    const device = button.closest("[data-device]");
    const text = button.dataset.copy === "all" ? data.markdown
      : data.devices[Number(device.dataset.device)]
        .findings[all(device, "[data-copy=finding]").indexOf(button)];
    button.hidden = false;
    button.addEventListener("click", async () => {
      if (button.parentElement.querySelector(".by-hand")) return;
      const label = button.textContent;
      if (!await copied(text)) { offer(button, text); return; }
      button.textContent = "Copied";
      button.focus();
      setTimeout(() => { button.textContent = label; }, 2000);
    });
  }
})();
