
  // A part of the run: steps, or a stretch of time. What can be told of it follows (with steps the table
  // of causes, too); every other section says in its title what it is about.

  // As decimals_for(), milliseconds() and round_together() of units.cpp: what is printed adds up.
  const decimalsFor = (ns) => ns >= 100e6 ? 1 : ns >= 1e6 ? 2 : 3;
  function roundTogether(values, unit) {
    const rounded = values.map((value) => Math.floor(value / unit));
    const order = values.map((value, i) => [value / unit - rounded[i], i]).sort((a, b) => b[0] - a[0]);
    let missing = Math.round(values.reduce((sum, x) => sum + x, 0) / unit) -
      rounded.reduce((sum, x) => sum + x, 0);
    for (const [, i] of order) if (missing-- > 0) ++rounded[i];
    return rounded;
  }

  const sumOf = (list, first, last) => {
    let sum = 0;
    for (let i = first; i <= last; ++i) sum += list[i];
    return sum;
  };

  // The table of causes and the bar above it, with the figures of some bins of steps.
  function tableOf(section, device) {
    const rows = section ? all(section.querySelector(".causes"), "tbody tr") : [];
    const segments = section ? all(section, ".budget .bar i") : [];
    const names = section ? all(section, ".budget .names span") : [];
    const cells = rows.map((row) => ({ time: row.cells[0], share: row.cells[1],
      bar: row.cells[2].querySelector("i") }));
    const kept = cells.map((c) => [c.time.textContent, c.share.textContent, c.bar && c.bar.style.width]);
    const keptBar = [...segments, ...names].map((e) => [e, e.style.cssText, e.title, e.innerHTML]);

    function restore() {
      cells.forEach((c, i) => {
        [c.time.textContent, c.share.textContent] = kept[i];
        if (c.bar) c.bar.style.width = kept[i][2];
      });
      for (const [e, style, title, html] of keptBar) {
        e.style.cssText = style;
        e.title = title;
        e.innerHTML = html;
      }
    }
    // Computing and only copying are not told apart step by step: they are one part of the bar.
    function fillBar(busy, idle, span) {
      segments.forEach((segment, i) => {
        const series = segment.dataset.s;
        const ns = series !== "busy" ? idle[Number(series)]
          : segments.findIndex((s) => s.dataset.s === "busy") === i ? busy : 0;
        const share = (ns / Math.max(1, span) * 100).toFixed(1) + " %";
        const name = series === "busy" ? "busy" : data.series[Number(series)].id;
        for (const e of [segment, names[i]]) {
          e.style.flex = ns + " 0 0";
          e.hidden = ns <= 0;
          e.style.display = ns <= 0 ? "none" : "";
        }
        segment.title = `${name}: ${share}`;
        names[i].innerHTML = "";
        if (ns / span < 0.08) return;
        names[i].append(name, document.createElement("br"));
        names[i].appendChild(document.createElement("b")).textContent = share;
      });
    }
    function fill(first, last, steps, busy, idle) {
      const total = idle.reduce((sum, x) => sum + x, 0), span = busy + total;
      const ns = device.rows.ns.map((row) => row.length ? sumOf(row, first, last) : null);
      const rest = total - ns.reduce((sum, x) => sum + (x || 0), 0);
      const values = ns.map((x) => x === null ? rest : x);
      const decimals = decimalsFor(total / steps), unit = 10 ** (6 - decimals);
      const times = roundTogether(values.map((x) => x / steps), unit);
      const shares = roundTogether(values.map((x) => x / Math.max(1, span) * 100), 0.1);
      const largest = Math.max(1, ...values);
      cells.forEach((c, i) => {
        const isTotal = i === values.length;
        const time = isTotal ? times.reduce((sum, x) => sum + x, 0) : times[i];
        const share = isTotal ? shares.reduce((sum, x) => sum + x, 0) : shares[i];
        c.time.textContent = (time * unit / 1e6).toFixed(decimals);
        c.share.textContent = (share / 10).toFixed(1) + " %";
        if (c.bar) c.bar.style.width = values[i] / largest * 100 + "%";
      });
      fillBar(busy, idle, span);
    }
    const follows = device.rows !== null && cells.length === device.rows.ns.length + 1;
    return { fill, restore, follows };
  }

  function selectionOf(article, device) {
    const table = tableOf(article.querySelector('[id^="where"]'), device);
    const bar = document.createElement("p");
    bar.className = "selected";
    bar.hidden = true;
    const text = bar.appendChild(document.createElement("span"));
    text.setAttribute("role", "status");
    const button = bar.appendChild(document.createElement("button"));
    button.type = "button";
    button.textContent = "Show all";
    article.append(bar);
    let range = null;

    function mark(figure, n) {
      for (const old of all(article, ".range")) old.remove();
      if (!range) return;
      const box = document.createElement("span");
      box.className = "range";
      box.style.left = range.first / n * 100 + "%";
      box.style.width = (range.last - range.first + 1) / n * 100 + "%";
      figure.querySelector(".plot").append(box);
    }
    function titles(part) {
      for (const old of all(article, "h2 .of")) old.remove();
      for (const section of all(article, ".follows")) section.classList.remove("follows");
      if (!range) return;
      const found = all(article, ".gap:not(.outside)").length;
      for (const section of all(article, "section")) {
        const kind = section.id.replace(/-\d+$/, "");
        if (["steps", "time", "ledger"].includes(kind)) continue;
        const of = section.querySelector("h2").appendChild(document.createElement("span"));
        of.className = "of";
        const follows = kind === "gaps" || kind === "where" && range.kind === "steps" && table.follows;
        // The findings are about the steps of the table, the pictures about all there is.
        of.textContent = kind === "gaps" ? `: ${found} of ${device.gaps.length}, ${part}` : " " + (follows ? part
          : ["where", "fix"].includes(kind) && device.steps ? "in all steps" : "in the whole run");
        of.classList.toggle("whole", !follows);
        section.classList.toggle("follows", follows);
      }
    }
    function filterGaps() {
      const bins = range && device[range.kind];
      const from = range && range.first * bins.per_bin, until = range && (range.last + 1) * bins.per_bin;
      for (const box of all(article, ".gap")) {
        const [start, , step] = device.gaps[Number(box.dataset.g)];
        const at = range && range.kind === "steps" ? step : start;
        box.classList.toggle("outside", range !== null && !(at >= from && at < until));
      }
      for (const more of all(article, ".more")) {
        const left = all(more, ".gap:not(.outside)").length;
        more.hidden = left === 0;
        more.querySelector("summary").textContent = left + " more";
      }
    }
    function say() {
      bar.hidden = range === null;
      if (!range) return;
      const bins = device[range.kind], { first, last } = range;
      const idle = bins.idle.map((ns) => sumOf(ns, first, last)), busy = sumOf(bins.busy, first, last);
      let units = 0;
      for (let i = first; i <= last; ++i) units += inBin(bins, i);
      const span = busy + idle.reduce((sum, x) => sum + x, 0);
      const steps = range.kind === "steps", divisor = steps ? units : 1;
      const from = first * bins.per_bin;
      const name = !steps ? `${duration(from)} to ${duration(from + units)}`
        : units === 1 ? `step ${from + 1}` : `steps ${from + 1} to ${from + units}`;
      const causes = parts(idle, divisor);
      text.textContent = `Selected: ${name}, ${duration(span / divisor)}${steps && units > 1 ? " each" : ""}. ` +
        `Busy ${duration(busy / divisor)} (${(busy / Math.max(1, span) * 100).toFixed(1)} %)` +
        (causes ? "; " + causes : "") + ".";
      titles(`${steps ? "in" : "from"} ${name}`);
      if (steps && table.follows) table.fill(first, last, units, busy, idle);
      else table.restore();
    }
    function select(kind, first, last) {
      // The table is about its window only: the warm-up is no part of it.
      if (kind === "steps" && device.rows) {
        first = Math.max(first, device.rows.first);
        last = Math.min(last, device.rows.end - 1);
      }
      if (first > last) return;
      range = { kind, first, last };
      mark(article.querySelector(`[data-chart="${kind}"]`), device[kind].busy.length);
      filterGaps();
      say();
    }
    function clear() {
      if (!range) return false;
      range = null;
      mark();
      titles();
      filterGaps();
      table.restore();
      bar.hidden = true;
      return true;
    }
    button.addEventListener("click", clear);
    return { steps: (a, b) => select("steps", a, b), time: (a, b) => select("time", a, b), say, clear };
  }
