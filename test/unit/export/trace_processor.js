// Perfetto's own trace processor, the engine of ui.perfetto.dev, asked without a browser: its bundle is a web worker's
// script, which finds here the few things of a worker that it needs. Messages are protobuf (trace_processor.proto).
//
// Usage: node trace_processor.js FOLDER TRACE SQL...       FOLDER: with engine_bundle.js and its .wasm files
// Prints a JSON list per query: [[column, ...], [value, ...], ...].
"use strict";
const fs = require("fs");
const path = require("path");
const vm = require("vm");

const APPEND = 1, FINALIZE = 2, QUERY = 3;  // TraceProcessorMethod
const FIELD = {seq: 1, request: 2, fatalError: 5, appendData: 101, queryArgs: 103, appendResult: 201, queryResult: 203};
const CELL = {null: 1, varint: 2, float64: 3, string: 4};
const PIECE = 16 << 20;  // of the file, per message

function varint(number) {
  const bytes = [];
  for (let rest = BigInt(number); ; rest >>= 7n) {
    if (rest < 128n) return Buffer.from([...bytes, Number(rest)]);
    bytes.push(Number(rest & 127n) | 128);
  }
}
const numberField = (field, value) => Buffer.concat([varint(field << 3), varint(value)]);
const bytesField = (field, bytes) => Buffer.concat([varint((field << 3) | 2), varint(bytes.length), bytes]);

function readVarint(bytes, at) {
  let value = 0n;
  for (let shift = 0n; ; shift += 7n) {
    const byte = bytes[at++];
    value |= BigInt(byte & 127) << shift;
    if (byte < 128) return [Number(BigInt.asIntN(64, value)), at];
  }
}

// [field number, number or bytes] of a message.
function* fields(bytes) {
  for (let at = 0; at < bytes.length;) {
    let key, value;
    [key, at] = readVarint(bytes, at);
    if ((key & 7) === 0) {
      [value, at] = readVarint(bytes, at);
    } else {
      let size = (key & 7) === 1 ? 8 : 4;
      if ((key & 7) === 2) [size, at] = readVarint(bytes, at);
      value = bytes.subarray(at, at + size);
      at += size;
    }
    yield [key >>> 3, value];
  }
}

function packed(bytes) {
  const numbers = [];
  for (let at = 0, value; at < bytes.length;) {
    [value, at] = readVarint(bytes, at);
    numbers.push(value);
  }
  return numbers;
}

function rowsOf(results) {
  const names = [], values = [];
  for (const result of results) {
    for (const [field, value] of fields(result)) {
      if (field === 1) names.push(value.toString());
      if (field === 2 && value.length) throw new Error(value.toString());
      if (field === 3) values.push(...cellsOf(value));
    }
  }
  const rows = [names];
  for (let i = 0; i < values.length; i += names.length) rows.push(values.slice(i, i + names.length));
  return rows;
}

function cellsOf(batch) {
  let kinds = [], numbers = [], floats = Buffer.alloc(0), strings = [];
  for (const [field, value] of fields(batch)) {
    if (field === 1) kinds = packed(value);
    if (field === 2) numbers = packed(value);
    if (field === 3) floats = value;
    if (field === 5) strings = value.toString().split("\0");
  }
  let number = 0, float = 0, string = 0;
  return kinds.map((kind) => {
    if (kind === CELL.varint) return numbers[number++];
    if (kind === CELL.float64) return floats.readDoubleLE(8 * float++);
    if (kind === CELL.string) return strings[string++];
    return null;
  });
}

class TraceProcessor {
  constructor(folder) {
    this.seq = 0;
    this.replies = [];
    this.arrived = () => {};
    const quiet = {log() {}, warn() {}, error: console.error};
    const self = {location: {href: "file:///"}};
    const worker = {
      self, console: quiet, performance, setTimeout, clearTimeout, TextDecoder, TextEncoder, URL,
      WorkerGlobalScope: class {},
      XMLHttpRequest: class {  // asked for the .wasm file, synchronously
        open(method, name) { this.response = fs.readFileSync(path.join(folder, path.basename(name))); }
        send() {}
      },
    };
    vm.runInNewContext(fs.readFileSync(path.join(folder, "engine_bundle.js"), "utf8"), worker);
    this.Bytes = vm.runInContext("Uint8Array", worker);  // the worker knows its own as such only
    this.port = {postMessage: (bytes) => this.reply(Buffer.from(bytes))};
    self.onmessage({data: this.port});
  }

  reply(bytes) {
    for (const [, message] of fields(bytes)) this.replies.push(message);
    this.arrived();
  }

  async ask(method, ...more) {
    const message = Buffer.concat([numberField(FIELD.seq, ++this.seq), numberField(FIELD.request, method), ...more]);
    this.port.onmessage({data: new this.Bytes(bytesField(1, message))});
    return this.replies.splice(0).flatMap((reply) => {
      const members = [...fields(reply)];
      for (const [field, value] of members)
        if (field === FIELD.fatalError) throw new Error(value.toString());
      return members;
    });
  }

  async load(file) {
    const bytes = fs.readFileSync(file);
    for (let at = 0; at < bytes.length; at += PIECE) {
      const members = await this.ask(APPEND, bytesField(FIELD.appendData, bytes.subarray(at, at + PIECE)));
      for (const [field, value] of members)
        if (field === FIELD.appendResult)
          for (const [inner, error] of fields(value))
            if (inner === 2 && error.length) throw new Error(error.toString());
    }
    await this.ask(FINALIZE);
  }

  async query(sql) {
    const members = await this.ask(QUERY, bytesField(FIELD.queryArgs, bytesField(1, Buffer.from(sql))));
    return rowsOf(members.filter(([field]) => field === FIELD.queryResult).map(([, value]) => value));
  }
}

async function main([folder, file, ...queries]) {
  const processor = new TraceProcessor(folder);
  await new Promise((resolve) => setImmediate(resolve));  // the engine's start ends in a promise of its own
  await processor.load(file);
  const answers = [];
  for (const sql of queries) answers.push(await processor.query(sql));
  console.log(JSON.stringify(answers));
}

main(process.argv.slice(2)).catch((error) => {
  console.error(String(error.stack || error));
  process.exit(1);
});
