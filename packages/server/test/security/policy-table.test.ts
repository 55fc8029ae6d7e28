import { readFileSync } from 'node:fs';
import { policyOf, requirePolicies } from '@culprit/contract/capture/policy';
import { api } from '@culprit/contract/endpoints/api';
import type { Endpoint } from '@culprit/contract/endpoints/endpoint';
import { describe, expect, it } from 'vitest';

/** docs/contract/reliability.md A10: one table lists the answers for each operation and role. */

const CHAPTER = new URL('../../../../docs/contract/account.md', import.meta.url);
const PEOPLE = ['member', 'admin', 'owner', 'stranger'] as const;

/** A row of the matrix in the chapter: its first column and the columns `mem`, `adm`, `own` (or `ck+`) and `for`. */
interface Row {
  endpoints: string;
  answers: readonly string[];
}

function chapterRows(): Row[] {
  const [, section = ''] = readFileSync(CHAPTER, 'utf8').split('## 12. Authorization matrix');
  return section
    .slice(0, section.indexOf('\n## '))
    .split('\n')
    .filter((line) => /^\| (?:GET|POST|PUT|PATCH|DELETE)/.test(line))
    .map((line) => line.split('|').map((cell) => cell.trim()))
    .filter((cells) => cells.length >= 10 && cells[3] !== '')
    .map(([, endpoints = '', , , mem = '', adm = '', own = '', , , , foreign = '']) => ({
      endpoints,
      answers: [mem, adm, own, foreign],
    }));
}

/** The endpoints of a cell such as `PATCH, DELETE …/members/:userId; GET /v1/webhooks?project_id=, /:id`. */
function named(cell: string): Endpoint[] {
  let base = '';
  return cell
    .replace(/\(.*?\)|\?\S*/g, '')
    .split(';')
    .flatMap((group) => {
      const methods: string[] = group.match(/\b[A-Z]+\b/g) ?? [];
      const paths = group.match(/[/…][^\s,]*/g) ?? [];
      return paths.flatMap((path) => {
        const isWhole = path.startsWith('/v1') || path.startsWith('…');
        const wanted = isWhole ? [path] : [base + path, base.replace(/\/[^/]+$/, path)];
        if (isWhole) base = path;
        const found = api.filter(({ method }) => methods.includes(method));
        return wanted.flatMap((each) => endpointsAt(found, shapeOf(each)));
      });
    });
}

/** `…` stands for a project, or for what the row before it began with. */
function endpointsAt(endpoints: readonly Endpoint[], wanted: string): Endpoint[] {
  const at = (judge: (path: string) => boolean) => endpoints.filter(({ path }) => judge(shapeOf(path)));
  if (!wanted.startsWith('…')) return at((path) => path === wanted);
  const inProject = at((path) => path === wanted.replace('…', '/v1/projects/:'));
  return inProject.length > 0 ? inProject : at((path) => path.endsWith(wanted.slice(1)));
}

function shapeOf(path: string): string {
  return path.replace(/:\w+|\{\w+\}/g, ':');
}

describe('the policy table', () => {
  it('follows from scope and role of every endpoint of the contract', () => {
    expect(() => requirePolicies(api)).not.toThrow();
  });

  it('agrees with the matrix of the chapter', () => {
    const judged = new Set<string>();
    const differences: string[] = [];
    for (const { endpoints, answers } of chapterRows()) {
      for (const endpoint of named(endpoints)) {
        const policy = policyOf(endpoint);
        // Of session endpoints the columns of tokens say 401; their people are in the columns of cookies.
        if (!('owner' in policy) || endpoint.auth === 'session') continue;
        judged.add(endpoint.id);
        const told = PEOPLE.map((who) => policy[who]);
        const isSame = told.every((verdict, i) => agrees(verdict, answers[i] ?? ''));
        if (!isSame) differences.push(`${endpoint.id}: ${told.join(' ')} instead of ${answers.join(' ')}`);
      }
    }
    expect(differences).toEqual([]);
    const personal = api.filter(({ auth }) => auth === 'member').map(({ id }) => id);
    expect(personal.filter((id) => !judged.has(id))).toEqual([]);
  });

  it.each<[string, string, Partial<Endpoint>]>([
    ['does not say what it is about', 'getProject', { scope: undefined as never }],
    ['asks for a role, but names no project', 'listProjects', { role: 'admin' }],
    [
      'is about params.id, which its request does not have',
      'listAlerts',
      { scope: { of: 'project', id: 'params.id' } },
    ],
    ['has a scope, but takes public callers', 'getHealth', { scope: { of: 'person' } }],
    ['answers owner_removal_not_allowed, which it does not declare', 'leaveProject', { errors: [] }],
  ])('stops the start when an endpoint %s', (fault, id, change) => {
    const endpoint = api.find((each) => each.id === id);
    if (endpoint === undefined) throw new Error('no endpoint');
    expect(() => requirePolicies([{ ...endpoint, ...change }])).toThrow(`endpoint ${id} ${fault}`);
  });
});

function agrees(verdict: number | string, told: string): boolean {
  const status = /^\d(?:\d\d|xx)/.exec(told)?.[0] ?? '';
  if (typeof verdict === 'number') return status === '2xx' ? verdict < 300 : Number(status) === verdict;
  return (
    { 403: ['forbidden'], 404: ['not_found'], 409: ['_not_allowed'], 503: ['_not_configured'] }[status]?.some(
      (ending) => verdict.endsWith(ending),
    ) === true
  );
}
