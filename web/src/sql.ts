// SPDX-License-Identifier: MIT
// sql.ts: statements in SQL: a list of the tables, examples, a statement that runs and can be
// stopped, and its result as a table with links and as marks on the timeline.

import { askSql, stopSql, Table } from './api';
import { button, element, grouped } from './dom';

const EXAMPLES: [string, string][] = [
  ['records by kind', 'select kind, count(*) as records from record group by kind order by records desc'],
  ['hottest code', 'select * from hot_code limit 20'],
  ['longest calls', 'select function, enter, leave, leave - enter as records from call order by records desc limit 20'],
  ['values of a register', "select record, reg, value from reg where reg = 'X0' limit 100"],
  ['writes of an address', "select record, addr, data from mem where op = 'write' and addr between 0x404000 and 0x404100 limit 100"],
  ['branches by bias', 'select * from branch_bias limit 20'],
  ['a state', "select * from state('record:1000')"],
  ['who wrote it', "select * from writers('x0', 'record:1000') limit 20"],
];
const TABLES = 'select m.name, m.type, group_concat(p.name, \' \') from sqlite_master m, pragma_table_info(m.name) p '
  + 'group by m.name order by m.type, min(m.rowid)';

// What a cell leads to.
export interface SqlGoals {
  record: (record: number) => void;
  execution: (address: string) => void;
  memory: (address: string) => void;
  marks: (records: number[]) => void;
}

export class Sql {
  readonly root = element('section', { id: 'sql', 'aria-label': 'SQL' });
  private readonly statement = element('textarea', { id: 'statement', rows: '4', spellcheck: 'false' }, EXAMPLES[0][1]);
  private readonly result = element('div', {
    class: 'result', tabindex: '0', role: 'group', 'aria-label': 'Result of the statement', 'aria-live': 'polite',
  });
  private readonly tables = element('div', { class: 'tables' });
  private readonly stopper = button('Stop', 'Stop the statement', () => this.stop(), { disabled: '' });
  private running = 0; // the number of the statement that runs; 0: none does
  private listed = false;

  constructor(private readonly goals: SqlGoals) {
    const examples = element('p', { class: 'examples' }, 'Examples: ', ...EXAMPLES.flatMap(([name, words]) => [
      button(name, words, () => this.use(words), { class: 'link' }), ' ']));
    this.root.append(
      element('div', { class: 'sql-tables' }, element('h2', {}, 'Tables'), this.tables),
      element('div', { class: 'sql-main' }, element('label', { for: 'statement' }, 'Statement; Ctrl+Return runs it'),
        this.statement, element('p', {}, button('Run', 'Run the statement', () => void this.run()), ' ', this.stopper),
        examples, this.result));
    this.statement.addEventListener('keydown', (event) => {
      if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) void this.run();
    });
  }

  focus(): void {
    this.statement.focus();
    if (!this.listed) void this.list();
  }

  private use(words: string): void {
    this.statement.value = words;
    void this.run();
  }

  // The tables and views, each with its columns.
  private async list(): Promise<void> {
    this.listed = true;
    try {
      const found = await askSql(TABLES, 0);
      this.tables.replaceChildren(...(found.rows ?? []).map(([name, type, columns]) => element('details', {},
        element('summary', {}, name ?? '', type === 'view' ? element('span', { class: 'quiet' }, ' view') : null),
        button('first rows', `select * from ${name}`, () => this.use(`select * from ${name} limit 50`), { class: 'link' }),
        element('p', {}, (columns ?? '').split(' ').join(', ')))));
    } catch (error) {
      this.listed = false;
      this.tables.textContent = (error as Error).message;
    }
  }

  // Ends the statement that runs; its answer is not waited for.
  stop(): void {
    if (!this.running) return;
    stopSql(this.running).catch(() => undefined);
    this.end();
    this.result.textContent = 'Stopped.';
  }

  private end(): void {
    this.running = 0;
    this.stopper.disabled = true;
  }

  private cell(name: string, value: string | null): Node | string {
    if (value === null) return '';
    if (/^(record|writer|enter|leave|.*_record)$/.test(name) && /^\d+$/.test(value))
      return button(value, 'go to this record', () => this.goals.record(Number(value)), { class: 'link' });
    if (/^(pc|function|caller|.*_pc)$/.test(name) && /^0x[0-9a-f]+$/.test(value))
      return button(value, 'its next execution', () => this.goals.execution(value), { class: 'link' });
    if (/^(addr|address)$/.test(name) && /^0x[0-9a-f]+$/.test(value))
      return button(value, 'show this memory', () => this.goals.memory(value), { class: 'link' });
    return value;
  }

  private show(table: Table): void {
    const names = table.columns ?? [], rows = table.rows ?? [];
    const numbers = names.map((_, i) => rows.some((row) => row[i] !== null)
      && rows.every((row) => row[i] === null || /^-?[\d.]+$/.test(row[i]!)));
    const record = names.findIndex((name) => name === 'record' || name === 'enter');
    const records = record < 0 ? [] : rows.map((row) => Number(row[record] ?? NaN)).filter((one) => one >= 0);
    const kind = (i: number) => ({ class: numbers[i] ? 'count' : '' });
    this.result.replaceChildren(
      element('p', { class: 'quiet' }, `${grouped(rows.length)} ${rows.length === 1 ? 'row' : 'rows'}${table.more ? '; there are more' : ''} `,
        records.length ? button('show in the timeline', 'marks at these records', () => this.goals.marks(records), { class: 'link' }) : null),
      element('table', {},
        element('thead', {}, element('tr', {}, ...names.map((name, i) => element('th', { scope: 'col', ...kind(i) }, name)))),
        element('tbody', {}, ...rows.map((cells) => element('tr', {},
          ...cells.map((value, i) => element('td', kind(i), this.cell(names[i], value))))))));
  }

  private async run(): Promise<void> {
    this.stop();
    const id = this.running = 1 + Math.floor(Math.random() * 0xffffffff);
    this.stopper.disabled = false;
    this.result.textContent = 'Running.';
    try {
      const table = await askSql(this.statement.value, id);
      if (id !== this.running) return;
      this.show(table);
    } catch (error) {
      if (id !== this.running) return;
      this.result.replaceChildren(element('p', { class: 'wrong' }, (error as Error).message));
    }
    this.end();
  }
}
