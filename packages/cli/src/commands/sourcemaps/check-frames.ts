import type { ResponseOf } from '@culprit/contract/endpoints/endpoint';
import { getIncidentBundle } from '@culprit/contract/incidents/incident-bundle';
import { explainFrame } from '@culprit/contract/releases/source-maps';
import { CliError, usageError } from '../../cli-error.ts';
import { isObject, type JsonObject } from '../../config/json-file.ts';
import type { Context } from '../../context.ts';
import { EXIT, type ExitCode } from '../../exit-codes.ts';
import type { Input } from '../../input.ts';
import { printJson, printLines } from '../../output/print.ts';
import { visibleLine } from '../../output/visible-text.ts';
import { incidentIdOf } from '../../references/incident-reference.ts';
import { projectId } from '../../references/project-reference.ts';

/** Explains one frame; exit 8 when it is not mapped. */
export async function checkFrame(context: Context, input: Input): Promise<ExitCode> {
  const frame = /^(?:\s*at\s+(?=\S))?(?:.* \()?(\S+?):(\d{1,9}):(\d{1,9})\)?$/.exec(input.required('frame'));
  if (frame === null) throw usageError('--frame must be FILE:LINE:COLUMN, as in a stack.');
  const [, file = '', line, column] = frame;
  const api = await context.api();
  const explained = await api.call(explainFrame, {
    params: { id: await projectId(context) },
    body: {
      file,
      line: Number(line),
      column: Number(column),
      release: input.text('release'),
      debug_id: input.text('debug-id'),
    },
  });
  if (context.globals.json) printJson(context, explained);
  else printLines(context, explanationLines(explained));
  return explained.mapped === null ? EXIT.negative : EXIT.ok;
}

type Explanation = Extract<ResponseOf<typeof explainFrame>, { status: 200 }>['body'];

/** Returns the result for a frame, for people. */
function explanationLines({ mapped, words, hint, looked_for, candidates }: Explanation): string[] {
  if (mapped !== null) {
    const { file, line, column, function: name, source } = mapped;
    return [
      visibleLine(`${file}:${line}:${column} ${name ?? ''}`).trimEnd(),
      ...(source === null ? [] : [...source.before, `> ${source.text}`, ...source.after].map(visibleLine)),
    ];
  }
  return [
    visibleLine(words ?? 'The frame is not looked up.'),
    ...(hint === null ? [] : [visibleLine(`→ ${hint}`)]),
    ...(looked_for === null
      ? []
      : [visibleLine(`Looked for by ${looked_for.by.replace('_', ' ')}: ${looked_for.key}`)]),
    ...candidates.map(({ path, debug_id, release, uploaded_at }) =>
      visibleLine(`  ${path}  ${debug_id?.slice(0, 8) ?? '-'}  ${release ?? '-'}  ${uploaded_at}`),
    ),
  ];
}

/** Says of each unmapped frame of an incident why; exit 8 when a map could change that. */
export async function checkIncident(context: Context, reference: string): Promise<ExitCode> {
  const api = await context.api();
  const id = await incidentIdOf(context, reference);
  const document: object = await api.call(getIncidentBundle, { params: { id } });
  if (!('bundle_version' in document)) {
    throw new CliError('The bundle of the incident is not available.', {
      exit: EXIT.negative,
      code: 'bundle_pending',
      hint: `culprit bundle ${id} --wait`,
    });
  }
  const block =
    'context' in document && isObject(document.context) ? document.context.symbolication : undefined;
  const symbolication: JsonObject | null = isObject(block) ? block : null;
  if (context.globals.json) {
    printJson(context, { incident_id: id, symbolication });
  } else if (symbolication === null) {
    printLines(context, ['The incident has no JavaScript stack.']);
  } else {
    const problems = Array.isArray(symbolication.problems) ? symbolication.problems.filter(isObject) : [];
    printLines(context, [
      `${String(symbolication.mapped)} frames mapped, ${String(symbolication.unmapped)} not (${String(symbolication.state)}).`,
      ...problems.flatMap(({ words, hint, frames }) => [
        visibleLine(`${String(frames)} ${frames === 1 ? 'frame' : 'frames'}: ${String(words)}`),
        visibleLine(`  → ${String(hint)}`),
      ]),
    ]);
  }
  return symbolication?.state === 'unmapped' || symbolication?.state === 'partly' ? EXIT.negative : EXIT.ok;
}
