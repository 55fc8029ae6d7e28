import {
  GROUPING_PREVIEW_HOURS_MAX,
  type GroupingPreview,
} from '@culprit/contract/incidents/grouping-preview';
import type { Regrouping } from '@culprit/contract/incidents/regroupings';
import { createExactFingerprints } from '../capture/exact-fingerprints.ts';
import { applyRegrouping, type RegroupingParts } from '../pipeline/incidents/grouping/apply-regrouping.ts';
import { commandBounds } from '../pipeline/incidents/grouping/group-history.ts';
import { previewGrouping } from '../pipeline/incidents/grouping/preview-grouping.ts';
import { undoRegrouping } from '../pipeline/incidents/grouping/undo-regrouping.ts';
import { readConfig } from '../platform/config/config.ts';
import { Problem } from '../platform/http/binding/problem.ts';
import { parseId } from '../platform/ids.ts';
import { openObjectStore } from '../platform/objects/open-object-store.ts';
import { type AdminCommand, CommandRefused, printResult, readOptions, UsageError } from './command.ts';
import { withDatabase } from './with-database.ts';

/** The choice with which an operator groups the stored events of a project again (docs/contract/grouping.md 8). */
interface RegroupChoice {
  projectId: string;
  hours: number;
  workMs: number;
  does: { kind: 'preview' } | { kind: 'apply' } | { kind: 'undo'; regroupingId: string };
}

const HOURS_DEFAULT = 24;
const SECONDS_DEFAULT = 60;
const SECONDS_MAX = 3600;

/** `admin regroup` */
export const regroupCommand: AdminCommand = {
  usage: 'regroup --project ID [--hours N] [--seconds N] [--apply | --undo REGROUPING] [--json]',
  purpose:
    'Shows which incidents of the last hours the grouping of this release would merge or split, reading for at most N seconds; changes nothing. --apply applies it in one transaction; --undo restores the exact counts.',
  async run(args) {
    const values = readOptions(args, {
      project: { type: 'string' },
      hours: { type: 'string', default: String(HOURS_DEFAULT) },
      seconds: { type: 'string', default: String(SECONDS_DEFAULT) },
      apply: { type: 'boolean', default: false },
      undo: { type: 'string' },
      json: { type: 'boolean', default: false },
    });
    const choice = readChoice(values);
    const config = readConfig(process.env);
    const objects = await openObjectStore(config.objectStore);
    const result = await withDatabase(config, async (database, log) => {
      const fingerprints = createExactFingerprints(log);
      try {
        return await regroup({ database, objects, fingerprints, log }, choice);
      } finally {
        await fingerprints.close();
      }
    });
    printResult(result, values.json);
  },
};

/** Returns the output of the command. @throws CommandRefused */
async function regroup(
  parts: RegroupingParts,
  { projectId, hours, workMs, does }: RegroupChoice,
): Promise<GroupingPreview | Regrouping> {
  const caller = { projectId, userId: null, clientAddress: null };
  const bounds = commandBounds(workMs);
  try {
    if (does.kind === 'undo') return await undoRegrouping(parts, caller, does.regroupingId);
    if (does.kind === 'apply') {
      return await applyRegrouping(parts, caller, { stackRules: null, hours, bounds });
    }
    const asked = { access: { projectId }, body: { hours } };
    return await previewGrouping(parts, asked, bounds);
  } catch (error) {
    const refusal = error instanceof Problem ? REFUSALS[error.code] : undefined;
    throw refusal === undefined ? error : new CommandRefused(refusal);
  }
}

const REFUSALS: Readonly<Record<string, string>> = {
  project_not_found: 'There is no such project.',
  regrouping_not_found: 'This project has no such regrouping, or it was already undone.',
  grouping_changed:
    'Rules or merges have changed since, or a newer regrouping must be undone first. Nothing was changed; try again.',
};

function readChoice(values: {
  project?: string | undefined;
  hours: string;
  seconds: string;
  apply: boolean;
  undo?: string | undefined;
}): RegroupChoice {
  const projectId = parseId(['proj'], values.project ?? '');
  if (projectId === null) throw new UsageError('--project must be the id of a project, like `proj_…`');
  if (values.apply && values.undo !== undefined) throw new UsageError('either --apply or --undo');
  const regroupingId = values.undo === undefined ? null : parseId([], values.undo);
  if (values.undo !== undefined && regroupingId === null) {
    throw new UsageError('--undo must be the id of a regrouping, as --apply prints it');
  }
  return {
    projectId,
    hours: wholeNumber('--hours', values.hours, GROUPING_PREVIEW_HOURS_MAX),
    workMs: 1000 * wholeNumber('--seconds', values.seconds, SECONDS_MAX),
    does:
      regroupingId !== null ? { kind: 'undo', regroupingId } : { kind: values.apply ? 'apply' : 'preview' },
  };
}

function wholeNumber(flag: string, text: string, max: number): number {
  const value = /^\d{1,6}$/.test(text) ? Number(text) : 0;
  if (value < 1 || value > max) throw new UsageError(`${flag} must be a whole number from 1 to ${max}`);
  return value;
}
