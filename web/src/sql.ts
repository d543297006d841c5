// SPDX-License-Identifier: MIT
// sql.ts: statements in SQL; one runs at a time, and it can be stopped.

import { askSql, stopSql } from './api';
import { button, element } from './dom';

export class Sql {
  readonly root: HTMLElement;
  private readonly statement = element('textarea', { id: 'statement', rows: '4', spellcheck: 'false' },
    'select kind, count(*) as records from record group by kind order by records desc');
  private readonly result = element('div', {
    class: 'result', tabindex: '0', role: 'group', 'aria-label': 'Result of the statement', 'aria-live': 'polite',
  });
  private readonly stopper = button('Stop', 'Stop the statement', () => this.stop(), { disabled: '' });
  private running = 0; // the number of the statement that runs; 0: none does

  constructor(private readonly go: (record: number) => void) {
    this.root = element('div', {}, element('label', { for: 'statement' }, 'Statement; Ctrl+Return runs it'),
      this.statement, element('p', {}, button('Run', 'Run the statement', () => void this.run()), ' ', this.stopper),
      this.result);
    this.statement.addEventListener('keydown', (event) => {
      if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) void this.run();
    });
  }

  focus(): void { this.statement.focus(); }

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

  private async run(): Promise<void> {
    this.stop();
    const id = this.running = 1 + Math.floor(Math.random() * 0xffffffff);
    this.stopper.disabled = false;
    this.result.textContent = 'Running.';
    try {
      const table = await askSql(this.statement.value, id);
      if (id !== this.running) return;
      const names = table.columns ?? [];
      const head = element('tr', {}, ...names.map((name) => element('th', { scope: 'col' }, name)));
      const rows = (table.rows ?? []).map((cells) => element('tr', {}, ...cells.map((cell, i) => element('td', {},
        cell !== null && /^(record|writer|enter|leave|.*_record)$/.test(names[i]) && /^\d+$/.test(cell)
          ? button(cell, 'go to this record', () => this.go(Number(cell)), { class: 'link' }) : cell ?? ''))));
      this.result.replaceChildren(element('table', {}, element('thead', {}, head), element('tbody', {}, ...rows)),
        element('p', { class: 'quiet' }, `${rows.length} rows${table.more ? '; there are more' : ''}`));
    } catch (error) {
      if (id !== this.running) return;
      this.result.replaceChildren(element('p', { class: 'wrong' }, (error as Error).message));
    }
    this.end();
  }
}
