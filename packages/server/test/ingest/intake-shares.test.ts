import { describe, expect, it } from 'vitest';
import { createIntakeShares, type IntakeShare, type IntakeShares } from '../../src/ingest/intake-shares.ts';

/** Reliability rule A6: 256 requests and 32 MB in this process, one sender a quarter while others wait. */

const MEBIBYTE = 1024 * 1024;

describe('the places for requests with events', () => {
  it('are a quarter for each of several senders, and the whole is never exceeded', () => {
    const shares = createIntakeShares();
    const first = enter(shares, 'a');
    const held = [first, ...'bcd'.split('').map((sender) => enter(shares, sender))];
    for (const sender of 'abcd') held.push(...fill(shares, sender));
    expect(held).toHaveLength(256);
    expect(shares.enter('a')).toBeNull();
    expect(shares.enter('e')).toBeNull();
    first.leave();
    expect(shares.enter('e')).not.toBeNull();
    expect(shares.enter('a')).toBeNull();
  });

  it('are seven eighths for a sender that is alone, so that another one always gets in', () => {
    const shares = createIntakeShares();
    const held = fill(shares, 'flood');
    expect(held).toHaveLength(224);
    expect(fill(shares, 'other')).toHaveLength(32);
    for (const share of held.slice(0, 160)) share.leave();
    // Down to a quarter: full as long as the other one is there, although the process has room.
    expect(shares.enter('flood')).toBeNull();
    held[160]?.leave();
    expect(shares.enter('flood')).not.toBeNull();
    expect(shares.enter('flood')).toBeNull();
  });

  it('are all free again once everybody has left', () => {
    const shares = createIntakeShares();
    for (const share of [...fill(shares, 'a'), ...fill(shares, 'b')]) share.leave();
    expect(fill(shares, 'b')).toHaveLength(224);
  });
});

describe('the room for bodies', () => {
  it('is a quarter for a sender with several requests while others wait', () => {
    const shares = createIntakeShares();
    enter(shares, 'other');
    const [one, two] = [enter(shares, 'a'), enter(shares, 'a')];
    expect(one.takeBytes(6 * MEBIBYTE)).toBe(true);
    expect(two.takeBytes(2 * MEBIBYTE + 1)).toBe(false);
    expect(two.takeBytes(2 * MEBIBYTE)).toBe(true);
    expect(one.takeBytes(1)).toBe(false);
  });

  it('is there for the only request of a sender as long as the process has room', () => {
    const shares = createIntakeShares();
    const flood = [enter(shares, 'flood'), enter(shares, 'flood')];
    for (const share of flood) expect(share.takeBytes(14 * MEBIBYTE)).toBe(true);
    expect(flood[0]?.takeBytes(1)).toBe(false);
    const other = enter(shares, 'other');
    expect(other.takeBytes(4 * MEBIBYTE)).toBe(true);
    expect(other.takeBytes(1)).toBe(false);
  });

  it('comes back when a request leaves, whatever it had taken', () => {
    const shares = createIntakeShares();
    const share = enter(shares, 'a');
    for (const sizeBytes of [20, 12]) expect(share.takeBytes(sizeBytes * MEBIBYTE)).toBe(true);
    expect(share.takeBytes(1)).toBe(false);
    share.leave();
    expect(enter(shares, 'b').takeBytes(32 * MEBIBYTE)).toBe(true);
  });
});

function enter(shares: IntakeShares, sender: string): IntakeShare {
  const share = shares.enter(sender);
  if (share === null) throw new Error(`no room for ${sender}`);
  return share;
}

/** Enters until there is no room. */
function fill(shares: IntakeShares, sender: string): IntakeShare[] {
  const held: IntakeShare[] = [];
  for (let share = shares.enter(sender); share !== null; share = shares.enter(sender)) held.push(share);
  return held;
}
