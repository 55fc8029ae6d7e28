import { type IncidentEvidence, incidentAnswer } from '@culprit/mcp/evidence/incident-answer';
import { createMcpServer } from '@culprit/mcp/mcp-server';
import { tokenBound } from '@culprit/mcp/tokens/token-bound';
import { createChangeLimits } from '@culprit/mcp/tools/change-tools';
import { Client, InMemoryTransport } from '@modelcontextprotocol/client';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { EXPECTED_FACTS } from '../../demo/expected-facts.ts';
import { demoIncidents } from '../../packages/mcp/test/demo-incidents.ts';
import { extremeBundles } from '../../packages/mcp/test/extreme-bundles.ts';
import { type Measured, median, type Target } from '../report/measured.ts';
import { agentStart } from './agent-start.ts';
import type { RowGroup } from './row-group.ts';

const ROW = 'mcp';
const BUDGETS = [4000, 1000, 500] as const;
const EXTREME_BUDGETS = [20_000, ...BUDGETS] as const;
const ANSWERS_TIMED = 40;

/** The answers to agents about incidents, in tokens of the exact tokenizer (docs/contract/command-line.md 5.11). */
export const agentAnswers: RowGroup = {
  rows: [ROW],
  async measure(context) {
    const demo = demoIncidents();
    const measured: Measured[] = [];
    for (const tokensMax of BUDGETS) {
      for (const { name, evidence } of demo) {
        const tokens = countTokens(answer(evidence, tokensMax));
        const raw = countTokens(JSON.stringify(evidence.bundle));
        measured.push(
          figure(`${name}: answer of at most ${tokensMax}`, 'tokens', [tokens], atMost(tokensMax), { raw }),
        );
      }
    }
    const usual = demo.map(({ evidence }) => countTokens(answer(evidence, 4000)));
    measured.push(figure('the demo at 4,000, median', 'tokens', [median(usual)], atMost(1000)));
    const raws = demo.map(({ evidence }) => countTokens(JSON.stringify(evidence.bundle)));
    measured.push(figure('its bundles as JSON', 'tokens', raws, { kind: 'none' }));
    for (const tokensMax of BUDGETS) {
      const shares = demo.map(
        ({ name, evidence }) => 100 * factsFound(name, answer(evidence, tokensMax), tokensMax),
      );
      measured.push(
        figure(`facts found at ${tokensMax}`, '%', [Math.min(...shares)], { kind: 'at_least', value: 100 }),
      );
    }
    const bounds = demo.map(({ evidence }) => {
      const text = answer(evidence, 20_000);
      return tokenBound(text) / countTokens(text);
    });
    measured.push(
      figure('bound of the tokens to the exact number, largest', '', [Math.max(...bounds)], atMost(1.4)),
    );
    measured.push(figure('the same, smallest', '', [Math.min(...bounds)], { kind: 'at_least', value: 1 }));
    for (const tokensMax of EXTREME_BUDGETS) {
      const tokens = extremeBundles().map(([, evidence]) => countTokens(answer(evidence, tokensMax)));
      measured.push(
        figure(
          `extreme incidents, answer of at most ${tokensMax}`,
          'tokens',
          [Math.max(...tokens)],
          atMost(tokensMax),
        ),
      );
    }
    context.progress('mcp, time of answers');
    measured.push(
      figure('an answer at 4,000', 'ms', answerTimes(demo.map(({ evidence }) => evidence)), atMost(15)),
    );
    measured.push(figure('tools and instructions', 'tokens', [await toolTokens(false)], atMost(800)));
    measured.push(figure('the same with writes', 'tokens', [await toolTokens(true)], atMost(1500)));
    measured.push(await agentStart(context, ROW));
    return measured;
  },
};

function answer(evidence: IncidentEvidence, tokensMax: number): string {
  return incidentAnswer(evidence, { kind: 'all' }, tokensMax);
}

/** The share of the facts that name the cause. */
function factsFound(name: string, text: string, tokensMax: number): number {
  const { least = [], more = [] } = EXPECTED_FACTS[name] ?? {};
  const facts = tokensMax < 1000 ? least : [...least, ...more];
  return facts.filter((fact) => text.includes(fact)).length / facts.length;
}

function answerTimes(evidence: readonly IncidentEvidence[]): number[] {
  const times: number[] = [];
  for (let count = 0; count < ANSWERS_TIMED; count += 1) {
    for (const each of evidence) {
      const startedAt = performance.now();
      answer(each, 4000);
      times.push(performance.now() - startedAt);
    }
  }
  return times;
}

async function toolTokens(mayChange: boolean): Promise<number> {
  const sources = { server: null, local: null, project: null, tokensDefault: 4000 };
  const server = createMcpServer({
    version: '0.1.0',
    sources: async () => sources,
    changeLimit: mayChange ? createChangeLimits()('bench') : null,
    onDefect: () => {},
  });
  const [near, far] = InMemoryTransport.createLinkedPair();
  const client = new Client({ name: 'bench', version: '1.0.0' });
  await Promise.all([server.connect(far), client.connect(near)]);
  const { tools } = await client.listTools();
  const tokens = countTokens(JSON.stringify(tools)) + countTokens(client.getInstructions() ?? '');
  await client.close();
  return tokens;
}

function atMost(value: number): Target {
  return { kind: 'at_most', value };
}

function figure(
  name: string,
  unit: string,
  values: readonly number[],
  target: Target,
  details: Record<string, unknown> = {},
): Measured {
  return { row: ROW, figure: name, unit, values, floorValues: null, target, details };
}
