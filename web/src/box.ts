// SPDX-License-Identifier: MIT
// box.ts: the one box of the page.  What is typed is understood in one or more ways; they are listed
// while it is typed, the likeliest first, and Return takes the chosen one.

import { element } from './dom';

// A way to understand what was typed.
export interface Reading {
  kind: string; // "function", "address", ...
  words: string;
  note: string; // what taking it does
  act: () => Promise<unknown>;
}

const PAUSE = 80; // milliseconds without a key before the readings are asked for

export class Box {
  private readonly choices: HTMLElement;
  private readings: Reading[] = [];
  private chosen = 0;
  private asked = 0;
  private waits = 0;
  private known = ''; // the words that the readings are of

  // `read` gives the readings of words, `done` is called once one was taken or the box is left.
  constructor(readonly input: HTMLInputElement, private readonly read: (words: string) => Promise<Reading[]>,
    private readonly take: (reading: Reading) => void, private readonly done: () => void,
    private readonly failed: (error: Error) => void) {
    this.choices = element('ul', { id: 'readings', role: 'listbox', 'aria-label': 'How it is understood', hidden: true });
    input.after(this.choices);
    for (const [name, value] of Object.entries({ role: 'combobox', 'aria-expanded': 'false',
      'aria-controls': 'readings', 'aria-autocomplete': 'list' })) input.setAttribute(name, value);
    input.addEventListener('input', () => {
      window.clearTimeout(this.waits);
      this.waits = window.setTimeout(() => void this.ask().catch(this.failed), PAUSE);
    });
    input.addEventListener('keydown', (event) => this.pressed(event));
    input.addEventListener('blur', () => this.show([]));
    input.addEventListener('focus', () => { if (input.value) void this.ask().catch(this.failed); });
  }

  focus(words?: string): void {
    if (words !== undefined) this.input.value = words;
    this.input.focus();
    this.input.select();
  }

  private async ask(): Promise<void> {
    const words = this.input.value.trim(), number = ++this.asked;
    const readings = words ? await this.read(words) : [];
    if (number !== this.asked) return;
    this.known = words;
    this.chosen = 0;
    this.show(document.activeElement === this.input ? readings : []);
    this.readings = readings;
  }

  // Takes the chosen reading of what stands in the box now.
  private async submit(): Promise<void> {
    const words = this.input.value.trim();
    window.clearTimeout(this.waits);
    if (!words) return this.done();
    if (words !== this.known || !this.readings.length) await this.ask();
    this.accept(this.chosen);
  }

  private accept(number: number): void {
    const reading = this.readings[number];
    this.show([]);
    this.done();
    if (reading) this.take(reading);
  }

  private pressed(event: KeyboardEvent): void {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    if (event.key === 'Escape') {
      this.show([]);
      this.done();
    } else if (event.key === 'Enter') {
      void this.submit().catch(this.failed);
    } else if (step && this.readings.length) {
      this.chosen = (this.chosen + step + this.readings.length) % this.readings.length;
      this.show(this.readings);
    } else {
      return;
    }
    event.preventDefault();
  }

  private show(readings: Reading[]): void {
    this.choices.replaceChildren(...readings.map((reading, i) => {
      const item = element('li', { role: 'option', id: `reading${i}`, 'aria-selected': String(i === this.chosen) },
        element('span', { class: 'kind' }, reading.kind), ' ', element('code', {}, reading.words), ' ',
        element('span', { class: 'quiet' }, reading.note));
      item.addEventListener('pointerdown', (event) => {
        event.preventDefault();
        this.accept(i);
      });
      return item;
    }));
    this.choices.hidden = !readings.length;
    this.input.setAttribute('aria-expanded', String(readings.length > 0));
    if (readings.length) this.input.setAttribute('aria-activedescendant', `reading${this.chosen}`);
    else this.input.removeAttribute('aria-activedescendant');
  }
}
