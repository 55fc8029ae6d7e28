import { describe, expect, it } from 'vitest';
import {
  addressShare,
  type Budget,
  type Claim,
  createBudget,
  tenantShare,
} from '../../../src/platform/http/limits/budget.ts';

const MEBIBYTE = 1024 * 1024;
const LIMITS = { requestsMax: 256, bytesMax: 32 * MEBIBYTE };

describe('a budget', () => {
  it('lets in so many requests, and a new one for each that left', () => {
    const budget = createBudget({ requestsMax: 2, bytesMax: 10 }, () => true);
    const [first, second, third] = [budget.open('a'), budget.open('a'), budget.open('a')];
    expect([first.enter(), second.enter(), third.enter()]).toEqual([true, true, false]);
    first.exit();
    expect(third.enter()).toBe(true);
    expect(budget.requestsInFlight).toBe(2);
    second.close();
    expect(first.enter()).toBe(true);
    expect(budget.requestsInFlight).toBe(2);
  });

  it('gives a request one slot, however often it asks and leaves', () => {
    const budget = createBudget({ requestsMax: 2, bytesMax: 10 }, () => true);
    const claim = budget.open('a');
    expect([claim.enter(), claim.enter()]).toEqual([true, true]);
    expect(budget.requestsInFlight).toBe(1);
    claim.exit();
    claim.exit();
    claim.close();
    claim.close();
    expect(budget.requestsInFlight).toBe(0);
  });

  it('counts bytes exactly and counts nothing that it refuses', () => {
    const budget = createBudget({ requestsMax: 2, bytesMax: 10 }, () => true);
    const claim = budget.open('a');
    const taken = [6, 5, 4, 1].map((sizeBytes) => claim.takeBytes(sizeBytes));
    expect(taken).toEqual([true, false, true, false]);
    claim.exit();
    expect(budget.bytesInFlight).toBe(10);
    claim.close();
    expect(budget.bytesInFlight).toBe(0);
  });

  it('takes nothing more for a request that is over', () => {
    const budget = createBudget(LIMITS, () => true);
    const claim = budget.open('a');
    claim.close();
    expect([claim.enter(), claim.takeBytes(1)]).toEqual([false, false]);
    expect([budget.requestsInFlight, budget.bytesInFlight]).toEqual([0, 0]);
  });
});

/** docs/contract/reliability.md A6: 256 requests and 32 MB in this process, one sender a quarter while others wait. */
describe('the slots of tenants', () => {
  it('are a quarter for each of several, and the whole is never exceeded', () => {
    const budget = createBudget(LIMITS, tenantShare);
    const first = enter(budget, 'a');
    const inside = [first, ...'bcd'.split('').map((sender) => enter(budget, sender))];
    for (const sender of 'abcd') inside.push(...fill(budget, sender));
    expect(inside).toHaveLength(256);
    expect([mayEnter(budget, 'a'), mayEnter(budget, 'e')]).toEqual([false, false]);
    first.close();
    expect(mayEnter(budget, 'e')).toBe(true);
    enter(budget, 'e');
    expect(mayEnter(budget, 'a')).toBe(false);
  });

  it('are seven eighths for one that is alone, so that another one always gets in', () => {
    const budget = createBudget(LIMITS, tenantShare);
    const inside = fill(budget, 'flood');
    expect(inside).toHaveLength(224);
    expect(fill(budget, 'other')).toHaveLength(32);
    for (const claim of inside.slice(0, 160)) claim.close();
    // Down to a quarter: full as long as the other one is there, although the process has capacity.
    expect(mayEnter(budget, 'flood')).toBe(false);
    inside[160]?.close();
    enter(budget, 'flood');
    expect(mayEnter(budget, 'flood')).toBe(false);
  });

  it('are not fewer because others are sending bodies slowly', () => {
    const budget = createBudget(LIMITS, tenantShare);
    for (let index = 0; index < 2000; index += 1) budget.open(`slow ${index % 10}`).takeBytes(20);
    expect(fill(budget, 'fast')).toHaveLength(224);
  });

  it('are all free again once everybody has left', () => {
    const budget = createBudget(LIMITS, tenantShare);
    for (const claim of [...fill(budget, 'a'), ...fill(budget, 'b')]) claim.close();
    expect(fill(budget, 'b')).toHaveLength(224);
  });
});

describe('the bytes of tenants', () => {
  it('are a quarter for one with several requests while others wait', () => {
    const budget = createBudget(LIMITS, tenantShare);
    enter(budget, 'other');
    const [one, two] = [enter(budget, 'a'), enter(budget, 'a')];
    expect(one.takeBytes(6 * MEBIBYTE)).toBe(true);
    expect(two.takeBytes(2 * MEBIBYTE + 1)).toBe(false);
    expect(two.takeBytes(2 * MEBIBYTE)).toBe(true);
    expect(one.takeBytes(1)).toBe(false);
  });

  it('are a quarter too while the bodies of others are on their way', () => {
    const budget = createBudget(LIMITS, tenantShare);
    const [other, one, two] = [budget.open('other'), budget.open('a'), budget.open('a')];
    other.takeBytes(MEBIBYTE);
    expect([one.takeBytes(8 * MEBIBYTE), two.takeBytes(1)]).toEqual([true, false]);
  });

  it('are there for the only request of a sender as long as the process has any', () => {
    const budget = createBudget(LIMITS, tenantShare);
    const flood = [enter(budget, 'flood'), enter(budget, 'flood')];
    for (const claim of flood) expect(claim.takeBytes(14 * MEBIBYTE)).toBe(true);
    expect(flood[0]?.takeBytes(1)).toBe(false);
    const other = enter(budget, 'other');
    expect(other.takeBytes(4 * MEBIBYTE)).toBe(true);
    expect(other.takeBytes(1)).toBe(false);
  });

  it('come back when a request is over, whatever it had taken', () => {
    const budget = createBudget(LIMITS, tenantShare);
    const claim = enter(budget, 'a');
    for (const sizeBytes of [20, 12]) expect(claim.takeBytes(sizeBytes * MEBIBYTE)).toBe(true);
    expect(claim.takeBytes(1)).toBe(false);
    claim.close();
    expect(enter(budget, 'b').takeBytes(32 * MEBIBYTE)).toBe(true);
  });
});

describe('bytes that are waited for', () => {
  const WAIT_MS = 10_000;

  it('are there at once as long as the sender has its share', () => {
    const budget = createBudget(LIMITS, tenantShare);
    expect(budget.open('a').waitForBytes(15 * MEBIBYTE, WAIT_MS)).toBe(true);
    expect(budget.bytesInFlight).toBe(15 * MEBIBYTE);
  });

  it('may be more than the share for one request of a sender at a time', async () => {
    const budget = createBudget(LIMITS, tenantShare);
    enter(budget, 'other');
    const [one, two] = [budget.open('a'), budget.open('a')];
    expect(one.waitForBytes(15 * MEBIBYTE, WAIT_MS)).toBe(true);
    expect(one.waitForBytes(MEBIBYTE, WAIT_MS)).toBe(true);
    const waited = two.waitForBytes(MEBIBYTE, WAIT_MS);
    expect(waited).toBeInstanceOf(Promise);
    one.close();
    expect(await waited).toBe(true);
    expect(budget.bytesInFlight).toBe(MEBIBYTE);
  });

  it('leave a quarter of all to requests that do not wait', async () => {
    const budget = createBudget(LIMITS, tenantShare);
    const first = budget.open('a');
    expect(first.waitForBytes(15 * MEBIBYTE, WAIT_MS)).toBe(true);
    const second = budget.open('b').waitForBytes(15 * MEBIBYTE, WAIT_MS);
    expect(second).toBeInstanceOf(Promise);
    expect(budget.open('c').takeBytes(8 * MEBIBYTE)).toBe(true);
    first.close();
    expect(await second).toBe(true);
  });

  it('are refused after the time is over, and counted in no more', async () => {
    const budget = createBudget({ requestsMax: 1, bytesMax: 4 }, () => true);
    const first = budget.open('a');
    first.takeBytes(4);
    expect(await budget.open('b').waitForBytes(1, 1)).toBe(false);
    first.close();
    expect(budget.bytesInFlight).toBe(0);
  });

  it('are refused to a request that is over', async () => {
    const budget = createBudget({ requestsMax: 1, bytesMax: 4 }, () => true);
    budget.open('a').takeBytes(4);
    const claim = budget.open('b');
    const waited = claim.waitForBytes(1, WAIT_MS);
    claim.close();
    expect(await waited).toBe(false);
    expect(await claim.waitForBytes(1, WAIT_MS)).toBe(false);
  });
});

describe('the slots of addresses', () => {
  it('are three quarters for one that is alone', () => {
    expect(fill(createBudget(LIMITS, addressShare), 'a')).toHaveLength(192);
  });

  it('are never all taken by ten that take what they can', () => {
    const budget = createBudget(LIMITS, addressShare);
    const floods = Array.from({ length: 10 }, (_, index) => ({
      name: `flood ${index}`,
      inside: [] as Claim[],
    }));
    for (let round = 0; round < 300; round += 1) {
      for (const { name, inside } of floods) {
        inside.shift()?.close();
        inside.push(...fill(budget, name));
      }
    }
    expect(budget.requestsInFlight).toBeGreaterThan(200);
    expect(fill(budget, 'new').length).toBeGreaterThan(2);
  });
});

describe('the bytes of addresses', () => {
  it('are never all taken by one with several requests', () => {
    const budget = createBudget({ requestsMax: 256, bytesMax: 8 * MEBIBYTE }, addressShare);
    const claims = Array.from({ length: 64 }, () => budget.open('flood'));
    const taken = claims.filter((claim) => claim.takeBytes(MEBIBYTE / 4));
    expect(taken).toHaveLength(24);
    expect(budget.open('other').takeBytes(MEBIBYTE)).toBe(true);
  });
});

function enter(budget: Budget, client: string): Claim {
  const claim = budget.open(client);
  if (!claim.enter()) throw new Error(`no slot for ${client}`);
  return claim;
}

function mayEnter(budget: Budget, client: string): boolean {
  const claim = budget.open(client);
  const isInside = claim.enter();
  claim.close();
  return isInside;
}

/** Enters until there is no slot. */
function fill(budget: Budget, client: string): Claim[] {
  const inside: Claim[] = [];
  for (;;) {
    const claim = budget.open(client);
    if (!claim.enter()) {
      claim.close();
      return inside;
    }
    inside.push(claim);
  }
}
