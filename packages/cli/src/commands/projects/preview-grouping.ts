import { type GroupingPreview, previewGrouping } from '@culprit/contract/incidents/grouping-preview';
import { usageError } from '../../cli-error.ts';
import type { Run } from '../../command.ts';
import type { Context } from '../../context.ts';
import { EXIT } from '../../exit-codes.ts';
import { printJson, printLines, say } from '../../output/print.ts';
import { cutLine, visibleLine } from '../../output/visible-text.ts';
import { fieldsOf } from '../../records/fields.ts';
import { STACK_RULE_FIELDS } from './flags.ts';
import { namedProject } from './projects.ts';

const HOURS_DEFAULT = 24;
const SAMPLE_INDENT = '    ';

/** Shows the effect that other stack rules would have on the incidents of the last hours. */
export const run: Run = async (context, input) => {
  const fields = fieldsOf(input, STACK_RULE_FIELDS);
  if (fields.stack_rules === undefined)
    throw usageError('No rules were given.', "--stack-rule 'GLOB own', or --no-stack-rules");
  const hours = input.number('hours') ?? HOURS_DEFAULT;
  const id = await namedProject(context, input);
  const preview = await (await context.api()).call(previewGrouping, {
    params: { id },
    body: { stack_rules: input.list('stack-rule'), hours },
  });
  if (context.globals.json) printJson(context, preview);
  else if (context.globals.quiet) printLines(context, changedIncidents(preview));
  else printPreview(context, preview, hours);
  return EXIT.ok;
};

function changedIncidents({ merges, splits }: GroupingPreview): string[] {
  const ids = [
    ...merges.flatMap(({ incidents }) => incidents.map(({ incident_id }) => incident_id)),
    ...splits.map(({ incident }) => incident.incident_id),
  ];
  return [...new Set(ids)];
}

function printPreview(context: Context, preview: GroupingPreview, hours: number): void {
  const { merges, splits, merge_count, split_count } = preview;
  const { terminal } = context;
  const lines = (texts: readonly string[]) =>
    printLines(
      context,
      texts.map((text) => cutLine(text, terminal.width)),
    );
  for (const { incidents, events, samples } of merges) {
    lines([
      `These ${incidents.length} would be one (${counted(events, 'event')}):`,
      ...incidents.map(incidentLine),
      ...samples.map(sampleLine),
    ]);
  }
  for (const { incident, groups, samples } of splits) {
    lines([`This would be ${groups}:`, incidentLine(incident), ...samples.map(sampleLine)]);
  }
  const shown = merges.length + splits.length;
  const all = merge_count + split_count;
  if (shown < all) say(context, `${all - shown} more changes are not listed.`);
  say(
    context,
    `${counted(preview.events_seen, 'event')} of ${counted(preview.incidents_seen, 'incident')} in the last ${hours} h: ` +
      `${counted(merge_count, 'merge')}, ${counted(split_count, 'split')}.`,
  );
  if (!preview.is_complete) say(context, 'There were more events than one preview reads.');
}

function incidentLine({ incident_id, title, events }: GroupingPreview['splits'][number]['incident']): string {
  return `  ${incident_id}  ${counted(events, 'event')}  ${visibleLine(title)}`;
}

function sampleLine(text: string): string {
  return `${SAMPLE_INDENT}${visibleLine(text)}`;
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
