// SPDX-License-Identifier: MIT
// row.ts: a row in columns: time, pc, symbol, instruction or effect.  What leads somewhere has the
// attributes data-go (what it is) and data-to.

import { Part, Row } from './api';
import { element, grouped } from './dom';

const SYMBOL = 22; // letters

function go(kind: string, to: string, words: string, title: string): HTMLElement {
  return element('span', { class: 'go', 'data-go': kind, 'data-to': to, title }, words);
}

// A number without "0x" and leading zeros: what rows and panes show.
export function short(value: string): string {
  const digits = value.replace(/^0x/i, '').replace(/_/g, '').toLowerCase();
  return digits.replace(/^0+(?=.)/, '');
}

// The text of an instruction: the opcode, then registers, numbers and the rest.
function instruction(words: string): (Node | string)[] {
  const [, opcode, rest] = /^(\S+)([^]*)$/.exec(words) ?? ['', words, ''];
  const made: (Node | string)[] = [element('span', { class: 'opcode' }, opcode)];
  let at = 0;
  for (const found of rest.matchAll(/(#?-?0x[0-9a-f]+\b|#-?\d+|\$-?(?:0x)?[0-9a-f]+\b|-?\b\d+\b)|(<[^>]*>)|(\b[a-z][a-z0-9]*\b)/gi)) {
    made.push(rest.slice(at, found.index),
      element('span', { class: found[1] ? 'immediate' : found[2] ? 'symbol' : 'operand' }, found[0]));
    at = found.index! + found[0].length;
  }
  return [...made, rest.slice(at)];
}

function access(part: Part): (Node | string)[] {
  const address = part.addr ?? part.pa ?? '', writes = part.op === 'write' || part.op === 'store';
  const value = part.data === undefined ? '' : short(part.data);
  return [part.kind === 'uop' ? '' : element('span', { class: 'op' }, `${part.op ?? part.kind} `),
    address ? go('memory', address, `[${short(address)}]`, 'show this memory') : '',
    ...(value ? [writes ? ' \u2190 ' : ' \u2192 ',
      go('why', `${address}+${part.size ?? 1}`, value, 'where it comes from')] : []),
    part.size ? element('span', { class: 'quiet' }, ` (${part.size}\u00a0B)`) : ''];
}

function effect(part: Part, old: string | undefined): (Node | string)[] {
  const name = part.reg ?? '', value = part.value === undefined ? '?' : short(part.value);
  return [go('register', name, name.toLowerCase(), 'its previous write'), ' ',
    ...(old === undefined ? ['= '] : old === value ? [] : [element('span', { class: 'quiet' }, `${old} \u2192 `)]),
    element('span', { class: old !== undefined && old !== value ? 'go new' : 'go', 'data-go': 'why', 'data-to': name,
      title: 'where it comes from' }, value),
    ...(old === value ? [element('span', { class: 'quiet' }, ' (as before)')] : [])];
}

// What a record states; undefined: its line says it best.
function shown(part: Part, old: string | undefined): (Node | string)[] | undefined {
  switch (part.kind) {
  case 'insn':
    return part.disasm === undefined ? undefined : [...instruction(part.disasm),
      ...(part.op === 'skipped' ? [element('span', { class: 'quiet' }, ' (skipped)')] : [])];
  case 'uop':
    return part.micro === undefined && part.macro === undefined ? undefined
      : [element('span', { class: 'opcode' }, `${part.macro ?? ''} `), element('span', { class: 'operand' }, part.micro ?? ''),
        ...(part.op === 'load' || part.op === 'store' ? [' ', ...access(part)] : []),
      ];
  case 'reg': return part.reg === undefined ? undefined : effect(part, old);
  case 'mem': case 'bus': return access(part);
  default: return undefined;
  }
}

// The columns of a row, without its number.  `olds`: the values before, of its registers.
export function columns(row: Row, indent: HTMLElement, mark: HTMLElement | null, olds: (string | undefined)[],
  timed: boolean): HTMLElement[] {
  const parts = row.parts ?? [], made: (Node | string)[] = [];
  let clear = parts.length > 0;
  parts.forEach((part, i) => {
    const words = shown(part, olds[i]);
    if (!words) clear = false;
    else made.push(...(made.length ? ['  '] : []), ...words);
  });
  const symbol = row.symbol === undefined ? '' : row.offset ? `${row.symbol}+${row.offset.toString(16)}` : row.symbol;
  const cut = symbol.length > SYMBOL ? `\u2026${symbol.slice(1 - SYMBOL)}` : symbol;
  return [
    ...(timed ? [element('span', { class: 'column time-column' }, row.time === undefined || /^(reg|mem)$/.test(parts[0]?.kind ?? '') ? '' : grouped(row.time))] : []),
    element('span', { class: 'column pc-column' }, row.pc ? go('pc', row.pc, short(row.pc), 'its next execution') : ''),
    element('span', { class: row.function ? 'column symbol-column entry' : 'column symbol-column', title: symbol }, cut),
    indent, ...(mark ? [mark] : []),
    element('span', { class: row.pc ? 'text' : 'text effect', title: row.text }, ...(clear ? made : [row.text])),
  ];
}
