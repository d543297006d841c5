// SPDX-License-Identifier: MIT
// marked.ts: how two texts differ.

import { element } from './dom';

// Where two texts differ, as begins and ends: of texts of equal width each letter, else the middle
// between what both begin and end with.
function between(words: string, other: string): [number, number][] {
  let begin = 0, end = 0;
  while (begin < words.length && words[begin] === other[begin]) begin++;
  while (end < Math.min(words.length, other.length) - begin && words[words.length - 1 - end] === other[other.length - 1 - end]) end++;
  if (words.length !== other.length) return [[begin, words.length - end]];
  const found: [number, number][] = [];
  for (let at = begin, to; at < words.length - end; at = to) {
    const differs = words[at] !== other[at];
    for (to = at + 1; to < words.length - end && (words[to] !== other[to]) === differs;) to++;
    if (differs) found.push([at, to]);
  }
  return found;
}

// A text with the letters marked in which it differs from another one.
export function marked(words: string, other: string): (Node | string)[] {
  const made: (Node | string)[] = [];
  let at = 0;
  for (const [begin, end] of between(words, other)) {
    made.push(words.slice(at, begin), element('mark', {}, words.slice(begin, end)));
    at = end;
  }
  return [...made, words.slice(at)];
}

// The same in a row of columns; the number of the row and its time are its own.
export function markBetween(row: HTMLElement, other: HTMLElement): void {
  for (const column of ['.pc-column', '.text']) {
    const own = row.querySelector(column), like = other.querySelector(column);
    if (!own || !like) continue;
    const ranges = between(own.textContent!, like.textContent!);
    const texts: Text[] = [], walker = document.createTreeWalker(own, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) texts.push(walker.currentNode as Text);
    let at = 0;
    for (const text of texts) {
      const words = text.data, made: (Node | string)[] = [];
      let done = 0;
      for (const [from, to] of ranges) {
        const begin = Math.max(done, from - at), end = Math.min(words.length, to - at);
        if (begin >= end) continue;
        made.push(words.slice(done, begin), element('mark', {}, words.slice(begin, end)));
        done = end;
      }
      at += words.length;
      if (done) text.replaceWith(...made, words.slice(done));
    }
  }
}
