// SPDX-License-Identifier: MIT
// pipe.js: the script of `pipe --html`: a row for each micro-op, a colour for each stage.  The page
// has the data; this script draws what is seen of them on a canvas.
(function () {
  'use strict';
  var data = JSON.parse(document.getElementById('operations').textContent);
  var canvas = document.getElementById('pipeline');
  var details = document.getElementById('details');
  var goTo = document.getElementById('go');
  var ops = data.operations, stages = data.stages, count = ops.length;
  var LABELS = 300, RULER = 20, ORDINAL = 0, PC = 1, NAME = 2, PLACE = 3, ADDRESS = 4, WHY = 5, PRODUCERS = 6, FETCH = 7, AT = 8;
  var fetched = [], at = 0, i;
  for (i = 0; i < count; i++) {
    at += ops[i][FETCH]; // the difference to the one before
    fetched.push(at);
  }
  var byOrdinal = new Map();
  for (i = 0; i < count; i++) if (!(ops[i][WHY] & 48)) byOrdinal.set(ops[i][ORDINAL], i);
  var top = 0, left = 0, rowHeight = 16, cycleWidth = 10, chosen = count ? 0 : -1, waits = false, colors = null;
  var wide = 0, high = 0; // the canvas: asked for once, because a question may lay out the page

  function read() {
    var style = getComputedStyle(document.documentElement);
    var fills = [].map.call(document.querySelectorAll('#palette rect'), function (one) { return getComputedStyle(one).fill; });
    return { fills: fills, fg: style.getPropertyValue('--fg').trim(), bg: style.getPropertyValue('--bg').trim(),
      quiet: style.getPropertyValue('--quiet').trim(), line: style.getPropertyValue('--line').trim(),
      card: style.getPropertyValue('--card').trim() };
  }
  function measure() {
    var ratio = devicePixelRatio || 1;
    wide = canvas.clientWidth;
    high = canvas.clientHeight;
    canvas.width = Math.round(wide * ratio);
    canvas.height = Math.round(high * ratio);
  }
  function labels() { return Math.min(LABELS, Math.floor(wide * 0.45)); }
  function rows() { return (high - RULER) / rowHeight; }
  function cycles() { return (wide - labels()) / cycleWidth; }
  // The cycle at which stage s of a micro-op begins; that after the last stage is its end.
  function begins(op, s) { return fetched[op] + ops[op][AT + s]; }
  // The stages of a micro-op, as [stage, lane, first cycle, cycle after it]: a log states its own.
  function parts(op) {
    if (data.own) return ops[op][AT].map(function (part) { return [part[0], part[1], fetched[op] + part[2], fetched[op] + part[3]]; });
    return stages.map(function (stage, s) { return [s, 0, begins(op, s), begins(op, s + 1)]; });
  }
  function ends(op) { return parts(op).reduce(function (end, part) { return Math.max(end, part[3]); }, fetched[op]); }
  function x(cycle) { return labels() + (cycle - left) * cycleWidth; }
  function y(op) { return RULER + (op - top) * rowHeight; }

  function clamp() {
    top = Math.max(0, Math.min(Math.max(0, count - rows() / 2), top));
    left = Math.max(0, left);
  }
  // Rows and cycles advance together, as the micro-ops do.
  function scroll(steps) {
    var before = Math.min(count - 1, Math.max(0, Math.floor(top)));
    top += steps;
    clamp();
    var after = Math.min(count - 1, Math.max(0, Math.floor(top)));
    if (count) left += fetched[after] - fetched[before];
    later();
  }
  function align() {
    var first = Math.min(count - 1, Math.max(0, Math.floor(top)));
    if (count) left = Math.max(0, fetched[first] - 2);
  }
  function zoom(factor) {
    var middle = top + rows() / 2, cycle = left + cycles() / 2;
    rowHeight = Math.max(1, Math.min(24, rowHeight * factor));
    cycleWidth = Math.max(0.25, Math.min(40, cycleWidth * factor));
    top = middle - rows() / 2;
    left = cycle - cycles() / 2;
    clamp();
    later();
  }
  function choose(op) {
    if (op < 0 || op >= count) return;
    chosen = op;
    if (op < top || op >= top + rows() - 1) {
      top = op - rows() / 3;
      clamp();
      align();
    }
    if (fetched[op] < left || fetched[op] > left + cycles() - 4) left = Math.max(0, fetched[op] - cycles() / 4);
    describe();
    later();
  }

  // ---- drawing ----

  function later() {
    if (waits) return;
    waits = true;
    requestAnimationFrame(function () { waits = false; draw(); });
  }
  var widths = {}; // of the names of stages
  function width(context, name) {
    if (!(name in widths)) widths[name] = context.measureText(name).width;
    return widths[name];
  }
  function drawStages(context, op) {
    var height = rowHeight > 4 ? rowHeight - 2 : rowHeight;
    context.globalAlpha = ops[op][WHY] & 16 ? 0.3 : 1;
    parts(op).forEach(function (part) {
      var from = part[2], to = part[3], over = part[1] > 0; // other lanes: the lower third
      if (to <= from || x(to) < labels() || x(from) > wide) return;
      var begin = Math.max(labels(), x(from)), long = Math.max(0.5, x(to) - begin - (cycleWidth > 4 ? 1 : 0));
      context.fillStyle = colors.fills[stages[part[0]][2]];
      context.fillRect(begin, over ? y(op) + height * 2 / 3 : y(op), long, over ? height / 3 : height);
      // A name that does not fit is left to the legend and the details.
      if (!over && rowHeight >= 12 && x(from) >= labels() && width(context, stages[part[0]][0]) <= long - 2) {
        context.fillStyle = colors.bg;
        context.fillText(stages[part[0]][0], begin + 2, y(op) + height / 2);
      }
    });
    context.globalAlpha = 1;
  }
  function drawLabel(context, op) {
    if (op === chosen) {
      context.fillStyle = colors.card;
      context.fillRect(0, y(op), wide, rowHeight);
    }
    if (rowHeight < 10) return;
    var row = ops[op];
    context.fillStyle = row[WHY] & 16 ? colors.quiet : colors.fg;
    context.fillText(row[ORDINAL] + '  ' + data.texts[row[PC]] + '  ' + data.texts[row[NAME]], 6, y(op) + rowHeight / 2 - 1, labels() - 10);
  }
  function drawRuler(context) {
    var wanted = 70 / cycleWidth, step = Math.pow(10, Math.max(0, Math.floor(Math.log10(wanted)))), cycle;
    [1, 2, 5, 10].some(function (times) { if (step * times >= wanted) { step *= times; return true; } return false; });
    step = Math.max(1, step);
    context.fillStyle = colors.bg;
    context.fillRect(0, 0, wide, RULER);
    context.fillStyle = colors.quiet;
    for (cycle = Math.ceil(left / step) * step; x(cycle) < wide; cycle += step) {
      context.fillText(String(cycle), x(cycle) + 3, RULER / 2);
      context.fillRect(x(cycle), RULER - 5, 1, 5);
    }
    context.fillText('cycle', 6, RULER / 2);
  }
  // Where the lines from producers end: the third stage, in which most machines execute.
  function waitsUntil(op) {
    var all = parts(op), at = Math.min(2, all.length - 1);
    return at < 0 ? fetched[op] : all[at][2];
  }
  // Lines from the producers of the chosen micro-op.
  function drawProducers(context) {
    if (chosen < 0) return;
    context.strokeStyle = colors.fills[7];
    context.lineWidth = 1.5;
    ops[chosen][PRODUCERS].forEach(function (ordinal) {
      var from = byOrdinal.get(ordinal);
      if (from === undefined) return;
      context.beginPath();
      context.moveTo(Math.max(labels(), x(ends(from))), y(from) + rowHeight / 2);
      context.lineTo(Math.max(labels(), x(waitsUntil(chosen))), y(chosen) + rowHeight / 2);
      context.stroke();
    });
  }
  function draw() {
    var ratio = devicePixelRatio || 1, context = canvas.getContext('2d');
    colors = colors || read();
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.fillStyle = colors.bg;
    context.fillRect(0, 0, wide, high);
    context.font = '11px ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace';
    context.textBaseline = 'middle';
    var last = Math.min(count, Math.ceil(top + rows())), op;
    for (op = Math.max(0, Math.floor(top)); op < last; op++) {
      drawLabel(context, op);
      drawStages(context, op);
    }
    drawProducers(context);
    drawRuler(context);
    context.fillStyle = colors.line;
    context.fillRect(labels() - 1, 0, 1, high);
  }

  // ---- words ----

  function line(name, value) {
    var row = document.createElement('tr'), head = document.createElement('th'), cell = document.createElement('td');
    head.scope = 'row';
    head.textContent = name;
    cell.textContent = value;
    row.append(head, cell);
    return row;
  }
  function describe() {
    if (chosen < 0) return;
    var row = ops[chosen], made = [line('micro-op', row[ORDINAL]), line('pc', data.texts[row[PC]]), line('opcode', data.texts[row[NAME]])];
    if (row[PLACE] && data.lanes) data.texts[row[PLACE]].split(/\n|\\n/).filter(Boolean).forEach(function (words, n) { made.push(line(n ? '' : 'notes', words)); });
    else if (row[PLACE]) made.push(line('source', data.texts[row[PLACE]]));
    if (row[ADDRESS]) made.push(line('address', data.texts[row[ADDRESS]]));
    parts(chosen).forEach(function (part) {
      var from = part[2], to = part[3], lane = part[1] ? ', lane ' + data.lanes[part[1]] : '';
      if (to > from) made.push(line(stages[part[0]][1], 'cycle ' + from + (to - from > 1 ? ' to ' + (to - 1) + ', ' + (to - from) + ' cycles' : '') + lane));
    });
    if (row[PRODUCERS].length) made.push(line('waits for', row[PRODUCERS].join(', ')));
    data.why.forEach(function (words, bit) { if (row[WHY] >> bit & 1) made.push(line('', words)); });
    details.replaceChildren.apply(details, made);
  }

  // ---- pointer and keys ----

  var drag = null;
  canvas.addEventListener('wheel', function (event) {
    event.preventDefault();
    if (event.ctrlKey || event.metaKey) zoom(Math.exp(-event.deltaY / 300));
    else if (event.shiftKey) { left += (event.deltaY || event.deltaX) / cycleWidth; clamp(); later(); }
    else scroll(event.deltaY / rowHeight);
  }, { passive: false });
  canvas.addEventListener('pointerdown', function (event) {
    canvas.setPointerCapture(event.pointerId);
    drag = { x: event.offsetX, y: event.offsetY, left: left, top: top, moved: false };
  });
  canvas.addEventListener('pointermove', function (event) {
    if (!drag) return;
    drag.moved = drag.moved || Math.abs(event.offsetX - drag.x) + Math.abs(event.offsetY - drag.y) > 3;
    left = drag.left + (drag.x - event.offsetX) / cycleWidth;
    top = drag.top + (drag.y - event.offsetY) / rowHeight;
    clamp();
    later();
  });
  canvas.addEventListener('pointerup', function (event) {
    if (drag && !drag.moved) choose(Math.floor(top + (event.offsetY - RULER) / rowHeight));
    drag = null;
  });
  var keys = {
    ArrowDown: function () { choose(chosen + 1); }, j: function () { choose(chosen + 1); },
    ArrowUp: function () { choose(chosen - 1); }, k: function () { choose(chosen - 1); },
    ArrowLeft: function () { left -= cycles() / 5; clamp(); later(); },
    ArrowRight: function () { left += cycles() / 5; clamp(); later(); },
    PageDown: function () { scroll(rows() - 1); }, PageUp: function () { scroll(1 - rows()); },
    Home: function () { choose(0); }, End: function () { choose(count - 1); },
    '+': function () { zoom(1.25); }, '=': function () { zoom(1.25); }, '-': function () { zoom(0.8); }
  };
  canvas.addEventListener('keydown', function (event) {
    if (!keys[event.key] || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    keys[event.key]();
  });
  document.getElementById('find').addEventListener('submit', function (event) {
    event.preventDefault();
    var found = byOrdinal.get(Number(goTo.value));
    if (found !== undefined) choose(found);
  });
  document.getElementById('larger').addEventListener('click', function () { zoom(1.25); });
  document.getElementById('smaller').addEventListener('click', function () { zoom(0.8); });
  new ResizeObserver(function () { measure(); later(); }).observe(canvas);
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', function () { colors = null; later(); });
  // At first the rows in sight have their cycles in sight, too: a miss may lie between them.
  function fit() {
    var last = Math.min(count, Math.floor(rows())) - 1;
    if (last > 0) cycleWidth = Math.max(2, Math.min(cycleWidth, (wide - labels()) / (ends(last) - fetched[0] + 4)));
  }
  measure();
  fit();
  align();
  describe();
  later();
})();
