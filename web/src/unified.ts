// SPDX-License-Identifier: MIT
// unified.ts: two traces as one list: what both sides have stands there once, what differs as the row
// of the left side above that of the right one.

import { ask, Differing, Part, Row, Rows } from './api';
import { grouped } from './dom';

const RIGHT = 500; // rows of the right side for a difference, at most

// What a row is about, without its values, and what it says, without its place and time.
function subject(row: Row): string {
  return row.pc !== undefined ? 'instruction' : (row.parts ?? []).map((part) => `${part.kind} ${part.op ?? ''} ${part.reg ?? ''}`).join();
}
function words(row: Row): string {
  const parts = (row.parts ?? []).map((part) => Object.entries(part as Part & object).map(([key, value]) => `${key}=${value}`).join(' '));
  return parts.length ? `${row.pc ?? ''} ${parts.join()}` : row.text;
}

// A row of the right side, which stands before a record of the left one.
function ofRight(row: Row, before: number, twin?: Row): Row {
  return { ...row, record: before, count: 0, mark: 'right', right: row.record, twin };
}

async function rightRows(one: Differing): Promise<Row[]> {
  const rows: Row[] = [];
  for (let at = one.right; at < one.right_end && rows.length < RIGHT;) {
    const answer = await ask<Rows>('rows', { trace: 1, parts: 1, at, count: Math.min(200, one.right_end - at) });
    rows.push(...answer.rows.filter((row) => row.record < one.right_end));
    if (answer.end || answer.next <= at) break;
    at = answer.next;
  }
  const last = rows[RIGHT - 1], more = last ? one.right_end - last.record - last.count : 0;
  return more > 0 ? [...rows.slice(0, RIGHT), { ...last, record: last.record + last.count, line: undefined, pc: undefined, parts: undefined,
    symbol: undefined, text: `${grouped(more)} more records only on the right` }] : rows;
}

// The rows of one instruction on both sides.
function paired(left: Row[], right: Row[], end: number): Row[] {
  const made: Row[] = [];
  let at = 0;
  for (const row of left) {
    const found = right.findIndex((other, i) => i >= at && subject(other) === subject(row));
    if (found < 0) {
      made.push({ ...row, mark: 'left' });
      continue;
    }
    made.push(...right.slice(at, found).map((other) => ofRight(other, row.record)));
    const twin = right[found];
    if (words(twin) === words(row)) made.push(row);
    else made.push({ ...row, mark: 'left', twin }, ofRight(twin, row.record + row.count, row));
    at = found + 1;
  }
  return [...made, ...right.slice(at).map((other) => ofRight(other, end))];
}

// Rows of the left side, from the first one of an instruction on, with those of the right side.
// `ended`: they are the last ones.
export async function unify(rows: Row[], ended: boolean): Promise<Row[]> {
  if (!rows.length) return rows;
  const last = rows[rows.length - 1], end = last.record + last.count;
  const { differing } = await ask<{ differing: Differing[] }>('differing', { from: rows[0].record, to: ended ? Number.MAX_SAFE_INTEGER : end });
  const made: Row[] = [];
  let i = 0;
  for (const one of differing) {
    while (i < rows.length && rows[i].record < one.left) made.push(rows[i++]);
    const own: Row[] = [];
    while (i < rows.length && rows[i].record < one.left_end) own.push(rows[i++]);
    // What the right side has instead stands where the left one goes on.
    const here = i < rows.length ? own.length > 0 || rows[i].record === one.left_end : ended;
    const right = here || !one.gap ? await rightRows(one) : [];
    if (one.gap) made.push(...own.map((row): Row => ({ ...row, mark: 'left' })), ...right.map((row) => ofRight(row, one.left_end)));
    else if (own.length) made.push(...paired(own, right, one.left_end));
  }
  return [...made, ...rows.slice(i)];
}
