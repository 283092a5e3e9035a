// What the page can do beyond being read: pick one cause, read the pictures out, widen a call, find a
// gap on the timeline. Everything is there without it. range.js and copy.js stand in the same function.
"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const HEIGHT = 1000, MOST_BARS = 120;
  const all = (root, selector) => [...root.querySelectorAll(selector)];
  let picked = null;

  // As duration() of viewer-cli/render/units.cpp.
  function duration(ns) {
    const fixed = (value) => value.toFixed(value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2);
    if (ns >= 1e9) return fixed(ns / 1e9) + " s";
    if (ns >= 1e6) return fixed(ns / 1e6) + " ms";
    if (ns >= 1e3) return fixed(ns / 1e3) + " us";
    return ns.toFixed(0) + " ns";
  }

  // Drawing: the same paths as charts.cpp.
  function pathOf(low, high) {
    const n = low.length;
    let d = "";
    if (n <= MOST_BARS) {
      for (let i = 0; i < n; ++i) {
        if (low[i] !== high[i]) d += `M${i}.1 ${low[i]}h.8V${high[i]}h-.8z`;
      }
      return d;
    }
    for (let i = 0; i < n;) {
      if (low[i] === high[i]) { ++i; continue; }
      const first = i;
      d += `M${first} ${low[first]}`;
      for (; i < n && low[i] !== high[i]; ++i) d += `V${high[i]}h1`;
      for (let back = i - 1; back >= first; --back) d += `V${low[back]}h-1`;
      d += "z";
    }
    return d;
  }

  const inBin = (bins, i) =>
    i + 1 < bins.busy.length ? bins.per_bin : bins.count - bins.per_bin * (bins.busy.length - 1);
  const scaled = (value, whole) => Math.round(Math.min(1, Math.max(0, value / whole)) * HEIGHT);

  // With one cause picked, it alone stands on the base line: only so can its sizes be compared.
  function drawSteps(figure, bins) {
    const svg = figure.querySelector("svg"), scale = Number(svg.dataset.scale);
    const height = new Array(bins.busy.length).fill(0);
    const draw = (series, ns) => {
      const low = [], high = [];
      const hidden = picked !== null && series !== String(picked);
      for (let i = 0; i < ns.length; ++i) {
        low.push(HEIGHT - scaled(height[i], scale));
        if (!hidden) height[i] += ns[i] / inBin(bins, i);
        high.push(HEIGHT - scaled(height[i], scale));
      }
      svg.querySelector(`[data-s="${series}"]`).setAttribute("d", pathOf(low, high));
    };
    draw("busy", bins.busy);
    bins.idle.forEach((ns, series) => draw(String(series), ns));
  }

  function drawTime(figure, bins) {
    const svg = figure.querySelector(".down svg");
    const depth = new Array(bins.busy.length).fill(0);
    bins.idle.forEach((ns, series) => {
      const low = [], high = [];
      const hidden = picked !== null && series !== picked;
      for (let i = 0; i < ns.length; ++i) {
        const whole = Math.max(1, inBin(bins, i));
        low.push(scaled(depth[i], whole));
        if (!hidden) depth[i] += ns[i];
        high.push(scaled(depth[i], whole));
      }
      svg.querySelector(`[data-s="${series}"]`).setAttribute("d", pathOf(low, high));
    });
  }

  function drawLengths(figure, lengths) {
    const svg = figure.querySelector("svg"), scale = Number(svg.dataset.scale);
    const height = new Array(lengths.gaps.length).fill(0);
    lengths.idle.forEach((ns, series) => {
      const low = [], high = [];
      for (let i = 0; i < ns.length; ++i) {
        low.push(HEIGHT - scaled(height[i], scale));
        if (picked === null || series === picked) height[i] += ns[i];
        high.push(HEIGHT - scaled(height[i], scale));
      }
      svg.querySelector(`[data-s="${series}"]`).setAttribute("d", pathOf(low, high));
    });
  }

  // Reading out: pointer and arrow keys alike.
  function parts(idle, divisor) {
    return idle
      .map((ns, series) => ({ name: data.series[series].id, ns: ns / divisor, series }))
      .filter((part) => part.ns > 0 && (picked === null || part.series === picked))
      .sort((a, b) => b.ns - a.ns).slice(0, 6)
      .map((part) => `${part.name} ${duration(part.ns)}`).join(", ");
  }

  function lengthWords(lengths, i) {
    const idle = lengths.idle.map((ns) => ns[i]), ns = idle.reduce((sum, x) => sum + x, 0);
    const all = lengths.idle.flat().reduce((sum, x) => sum + x, 0);
    const one = lengths.gaps[i] === 1;
    return `${duration(lengths.start[i])} to ${duration(lengths.start[i + 1])}: ` +
      `${lengths.gaps[i].toLocaleString("en")} gap${one ? "" : "s"}, ${duration(ns)} idle ` +
      `(${(ns / Math.max(1, all) * 100).toFixed(1)} %)` + (ns > 0 ? "; " + parts(idle, 1) : "") + ".";
  }

  function words(bins, i, kind) {
    const divisor = kind === "steps" ? inBin(bins, i) : 1;
    const causes = parts(bins.idle.map((ns) => ns[i]), divisor);
    const busy = bins.busy[i] / divisor;
    const whole = kind === "steps"
      ? busy + bins.idle.reduce((sum, ns) => sum + ns[i] / divisor, 0) : inBin(bins, i);
    const first = i * bins.per_bin + 1, last = i * bins.per_bin + inBin(bins, i);
    const where = kind === "time" ? `At ${duration(i * bins.per_bin)}, ${duration(whole)}`
      : first === last ? `Step ${first}: ${duration(whole)}`
        : `Steps ${first} to ${last}: ${duration(whole)} each, longest ${duration(bins.most[i])}`;
    const share = kind === "time" ? ` (${(busy / Math.max(1, whole) * 100).toFixed(1)} %)` : "";
    return `${where}. Busy ${duration(busy)}${share}` + (causes ? "; " + causes : "") + ".";
  }

  // `say(i)`: the words for one of n places; `chosen(i)`: it was clicked; `select(first, last)`: a part
  // was, by dragging or with Shift. The last two may be left out.
  function readable(figure, n, say, { chosen, select }) {
    const plot = figure.querySelector(".plot"), cursor = figure.querySelector(".cursor");
    const out = figure.querySelector(".readout");
    let at = -1, from = null, dragged = false;
    const show = (i) => {
      at = Math.max(0, Math.min(n - 1, i));
      cursor.style.display = "block";
      cursor.style.left = (at + 0.5) / n * 100 + "%";
      out.textContent = say(at);
    };
    const extend = () => select(Math.min(from, at), Math.max(from, at));
    const under = (event) => {
      const box = plot.getBoundingClientRect();
      return Math.floor((event.clientX - box.left) / box.width * n);
    };
    plot.addEventListener("pointermove", (event) => {
      show(under(event));
      if (from === null || !select || !(event.buttons & 1)) return;
      dragged = dragged || Math.abs(event.clientX - plot.pressedAt) > 3;
      if (dragged) extend();
    });
    plot.addEventListener("pointerdown", (event) => {
      if (event.button !== 0) return;
      show(under(event));
      from = at;
      dragged = false;
      plot.pressedAt = event.clientX;
      if (select) plot.setPointerCapture(event.pointerId);
    });
    plot.addEventListener("pointerup", () => {
      if (from !== null && !dragged && chosen) chosen(at);
      from = null;
    });
    plot.addEventListener("pointercancel", () => { from = null; });
    figure.addEventListener("keydown", (event) => {
      const far = Math.max(1, Math.round(n / 20));
      const to = { ArrowLeft: at - 1, ArrowRight: at + 1, PageUp: at - far, PageDown: at + far,
        Home: 0, End: n - 1 }[event.key];
      if (to !== undefined) {
        event.preventDefault();
        if (!event.shiftKey || !select) from = null;
        else if (from === null) from = Math.max(0, at);
        show(to);
        if (from !== null) extend();
      }
      if (event.key === "Enter" && chosen && at >= 0) chosen(at);
    });
  }

  // Gaps: opening one marks it on the timeline; picking a place there opens the nearest.
  function gapsOf(article, device) {
    const mark = article.querySelector(".mark");
    const boxes = all(article, ".gap");
    const span = device.time ? device.time.count : 0;
    for (const box of boxes) {
      box.addEventListener("toggle", () => {
        if (!box.open || !mark || span <= 0) return;
        const [start, length] = device.gaps[Number(box.dataset.g)];
        mark.style.display = "block";
        mark.style.left = (start + length / 2) / span * 100 + "%";
      });
    }
    return (bin) => {
      const from = bin * device.time.per_bin, until = from + device.time.per_bin;
      const found = boxes.filter((box) => !box.classList.contains("off")).find((box) => {
        const [start, length] = device.gaps[Number(box.dataset.g)];
        return start < until && start + length > from;
      });
      if (!found) return;
      const more = found.closest(".more");
      if (more) more.open = true;
      found.open = true;
      found.querySelector("summary").focus();
    };
  }

  // Idle time by stack.
  function flameOf(article, flame) {
    const root = article.querySelector(".flame");
    if (!root) return () => {};
    const boxes = all(root, "b"), n = boxes.length;
    const children = boxes.map(() => []);
    for (let i = 1; i < n; ++i) children[flame.parent[i]].push(i);
    let top = 0;

    function weights() {
      if (picked === null) return flame.ns;
      const ns = new Array(n).fill(0);
      for (let i = n - 1; i >= 0; --i) {
        if (flame.series[i] === picked) ns[i] += flame.ns[i];
        if (i > 0) ns[flame.parent[i]] += ns[i];
      }
      return ns;
    }
    function place(i, left, width, shown) {
      boxes[i].hidden = !shown || width <= 0;
      boxes[i].style.setProperty("--x", left * 100 + "%");
      boxes[i].style.setProperty("--w", width * 100 + "%");
    }
    function lay() {
      const ns = weights(), above = new Set([top]);
      for (let i = top; i > 0;) { i = flame.parent[i]; above.add(i); }
      const within = (i) => { for (; i > top; i = flame.parent[i]); return i === top; };
      const left = new Array(n).fill(0);
      for (let i = 0; i < n; ++i) {
        if (above.has(i)) place(i, 0, 1, true);
        else if (!within(i)) place(i, 0, 0, false);
        if (!within(i)) continue;
        let x = left[i];
        for (const child of children[i]) {
          left[child] = x;
          const width = ns[top] > 0 ? ns[child] / ns[top] : 0;
          place(child, x, width, true);
          x += width;
        }
      }
    }
    function widen(i) { top = i === top && i !== 0 ? flame.parent[i] : i; lay(); }
    function focus(i) {
      for (const box of boxes) box.tabIndex = -1;
      boxes[i].tabIndex = 0;
      boxes[i].focus();
    }
    root.addEventListener("click", (event) => {
      const i = boxes.indexOf(event.target);
      if (i >= 0) { widen(i); focus(i); }
    });
    root.addEventListener("keydown", (event) => {
      const i = boxes.indexOf(document.activeElement);
      if (i < 0) return;
      const shown = (list) => list.filter((box) => !boxes[box].hidden);
      const beside = shown(children[flame.parent[i]]), here = beside.indexOf(i);
      const to = { ArrowDown: shown(children[i])[0], ArrowUp: i > 0 ? flame.parent[i] : undefined,
        ArrowLeft: beside[here - 1], ArrowRight: i > 0 ? beside[here + 1] : undefined }[event.key];
      if (to !== undefined) focus(to);
      if (event.key === "Enter" || event.key === " ") widen(i);
      if (to !== undefined || event.key === "Enter" || event.key === " ") event.preventDefault();
    });
    return lay;
  }

  const redraws = [], clearings = [];
  function pick(series) {
    picked = series === picked ? null : series;
    document.body.classList.toggle("picked", picked !== null);
    for (const button of all(document, "[data-pick]"))
      button.setAttribute("aria-pressed", String(Number(button.dataset.pick) === picked));
    for (const element of all(document, "main [data-s]"))
      element.classList.toggle("off",
        picked !== null && !element.dataset.s.split(" ").includes(String(picked)));
    for (const redraw of redraws) redraw();
    for (const out of all(document, ".readout")) out.textContent = "";
    const name = picked === null ? "" : "#cause=" + data.series[picked].id;
    history.replaceState(null, "", name || location.pathname + location.search);
  }

  for (const article of all(document, "[data-device]")) {
    const device = data.devices[Number(article.dataset.device)];
    const steps = article.querySelector('[data-chart="steps"]');
    const time = article.querySelector('[data-chart="time"]');
    const lengths = article.querySelector('[data-chart="lengths"]');
    const openGap = gapsOf(article, device);
    const selecting = selectionOf(article, device);
    if (steps && device.steps) {
      readable(steps, device.steps.busy.length, (i) => words(device.steps, i, "steps"),
        { select: selecting.steps });
      redraws.push(() => drawSteps(steps, device.steps));
    }
    if (time && device.time) {
      readable(time, device.time.busy.length, (i) => words(device.time, i, "time"),
        { chosen: openGap, select: selecting.time });
      redraws.push(() => drawTime(time, device.time));
    }
    if (lengths && device.lengths) {
      readable(lengths, device.lengths.gaps.length, (i) => lengthWords(device.lengths, i), {});
      redraws.push(() => drawLengths(lengths, device.lengths));
    }
    redraws.push(selecting.say);
    clearings.push(selecting.clear);
    redraws.push(flameOf(article, device.flame));
  }
  for (const button of all(document, "[data-pick]"))
    button.addEventListener("click", () => pick(Number(button.dataset.pick)));
  for (const row of all(document, ".causes tr[data-s]"))
    if (row.dataset.s !== "") row.addEventListener("click", () => pick(Number(row.dataset.s)));
  for (const part of all(document, ".budget i[data-s]"))
    if (part.dataset.s !== "busy") part.addEventListener("click", () => pick(Number(part.dataset.s)));
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    const cleared = clearings.map((clear) => clear());
    if (!cleared.includes(true) && picked !== null) pick(picked);
  });
  const asked = data.series.findIndex((s) => location.hash === "#cause=" + s.id);
  if (asked >= 0) pick(asked);
