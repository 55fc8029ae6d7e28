import { compilePattern, type Program } from './compile-pattern.ts';

/** What a backtracking matcher did with a text: how many instructions, and where the pattern matched. */
interface Reading {
  steps: number;
  matches: readonly (readonly [start: number, end: number])[];
}

const programs = new Map<RegExp, Program>();

/**
 * Reads a text with a pattern as a backtracking engine does without shortcuts, and counts. A global pattern is used up
 * to its last match, the others up to their first.
 * @returns null where more steps are needed than `stepsMax`
 */
export function countSteps(pattern: RegExp, text: string, stepsMax: number): Reading | null {
  const program = programs.get(pattern) ?? compilePattern(pattern);
  programs.set(pattern, program);
  const { instructions } = program;
  const registers = new Int32Array(program.registers);
  /** Register and earlier value in turns, so that a way that failed leaves nothing behind. */
  let written: number[] = [];
  let steps = 0;
  const matches: [number, number][] = [];
  const isUnicode = pattern.unicode || pattern.unicodeSets;
  let start = 0;
  while (start <= text.length) {
    registers.fill(-1);
    written = [];
    const end = run(0, start);
    if (end === OVER) return null;
    if (end !== FAILED) matches.push([start, end]);
    if (pattern.sticky || (end !== FAILED && !pattern.global)) break;
    start = end > start ? end : (nextPlace(text, start, false, isUnicode) ?? start + 1);
  }
  return { steps, matches };

  function run(from: number, place: number): number {
    const ways: number[] = [];
    let at = from;
    let here = place;
    for (;;) {
      steps += 1;
      if (steps > stepsMax) return OVER;
      const instruction = instructions[at];
      if (instruction === undefined) throw new Error('a program ends with a match');
      let isFailed = false;
      at += 1;
      switch (instruction.kind) {
        case 'match':
          return here;
        case 'characters': {
          const next = nextPlace(text, here, instruction.isBackward, instruction.isUnicode);
          isFailed = next === null || !instruction.isOne(text, Math.min(here, next));
          here = next ?? here;
          break;
        }
        case 'jump':
          at = instruction.to;
          break;
        case 'fork':
          ways.push(instruction.second, here, written.length);
          at = instruction.first;
          break;
        case 'set':
          write(instruction.register, instruction.to === 'zero' ? 0 : here);
          break;
        case 'repeat': {
          const count = registers[instruction.count] ?? 0;
          if (count < instruction.min) break;
          if (count >= instruction.max) at = instruction.after;
          else if (instruction.isGreedy) ways.push(instruction.after, here, written.length);
          else {
            ways.push(at, here, written.length);
            at = instruction.after;
          }
          break;
        }
        case 'repeated': {
          const count = (registers[instruction.count] ?? 0) + 1;
          isFailed = count > instruction.min && registers[instruction.place] === here;
          write(instruction.count, count);
          at = instruction.repeat;
          break;
        }
        case 'edge':
          isFailed = !instruction.isHere(text, here);
          break;
        case 'look': {
          const mark = written.length;
          const end = run(at, here);
          if (end === OVER) return OVER;
          isFailed = (end === FAILED) !== instruction.isNegated;
          if (instruction.isNegated) undo(mark);
          at = instruction.after;
          break;
        }
        case 'reference': {
          const [start = -1, end = -1] = [registers[instruction.start], registers[instruction.end]];
          const said = start === -1 || end === -1 ? '' : text.slice(start, end);
          const from = instruction.isBackward ? here - said.length : here;
          const found = from < 0 ? null : text.slice(from, from + said.length);
          isFailed = found === null || !isSame(said, found, instruction.isFolded);
          steps += said.length;
          here = instruction.isBackward ? from : from + said.length;
          break;
        }
      }
      if (!isFailed) continue;
      const mark = ways.pop();
      if (mark === undefined) return FAILED;
      undo(mark);
      here = ways.pop() ?? 0;
      at = ways.pop() ?? 0;
    }
  }

  function write(register: number, value: number): void {
    written.push(register, registers[register] ?? -1);
    registers[register] = value;
  }

  function undo(mark: number): void {
    while (written.length > mark) {
      const value = written.pop() ?? -1;
      registers[written.pop() ?? 0] = value;
    }
  }
}

const FAILED = -1;
const OVER = -2;

function isSame(said: string, found: string, isFolded: boolean): boolean {
  return isFolded ? said.toLowerCase() === found.toLowerCase() : said === found;
}

function nextPlace(text: string, here: number, isBackward: boolean, isUnicode: boolean): number | null {
  if (isBackward) {
    if (here === 0) return null;
    const isPair = isUnicode && here > 1 && isSurrogatePair(text, here - 2);
    return here - (isPair ? 2 : 1);
  }
  if (here >= text.length) return null;
  return here + (isUnicode && isSurrogatePair(text, here) ? 2 : 1);
}

function isSurrogatePair(text: string, at: number): boolean {
  return (text.codePointAt(at) ?? 0) > 0xffff;
}
