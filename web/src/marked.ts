// SPDX-License-Identifier: MIT
// marked.ts: how two texts differ.

import { element } from './dom';

// Two texts, with the letters in which they differ marked: of numbers of equal width each digit, else
// the middle between what both begin and end with.
export function marked(words: string, other: string): (Node | string)[] {
  let begin = 0, end = 0;
  while (begin < words.length && words[begin] === other[begin]) begin++;
  while (end < Math.min(words.length, other.length) - begin && words[words.length - 1 - end] === other[other.length - 1 - end]) end++;
  if (words.length !== other.length)
    return [words.slice(0, begin), element('mark', {}, words.slice(begin, words.length - end)), words.slice(words.length - end)];
  const made: (Node | string)[] = [words.slice(0, begin)];
  for (let at = begin, to; at < words.length - end; at = to) {
    const differs = words[at] !== other[at];
    for (to = at + 1; to < words.length - end && (words[to] !== other[to]) === differs;) to++;
    made.push(differs ? element('mark', {}, words.slice(at, to)) : words.slice(at, to));
  }
  return [...made, words.slice(words.length - end)];
}
