import { explainFrame } from '@culprit/contract/releases/source-maps';
import { useMutation } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { problemText } from '../api/problem-words.ts';
import { call } from '../api/transport.ts';
import { visibleLine, visibleText } from '../format/event-text.ts';
import { Time } from '../format/time.tsx';
import { PATTERNS } from '../paths.ts';
import { Button } from '../ui/button.tsx';
import { CodeBlock } from '../ui/code-block.tsx';
import { TextField } from '../ui/fields/field.tsx';
import { DataTable } from '../ui/lists/data-table.tsx';
import { FactList } from '../ui/lists/fact-list.tsx';
import { Notice } from '../ui/notice.tsx';

const route = getRouteApi(`/frame${PATTERNS.sourceMaps}`);

type Explanation = Awaited<ReturnType<typeof explain>>;

/** Shows the server's result for one line of a stack. */
export function ExplainPart({ projectId }: { projectId: string }) {
  const search = route.useSearch();
  const [line, setLine] = useState(search.frame ?? '');
  const [release, setRelease] = useState(search.release ?? '');
  const [debugId, setDebugId] = useState(search.debug_id ?? '');
  const [error, setError] = useState<string | null>(null);
  const asked = useMutation({ mutationFn: explain });
  return (
    <>
      <form
        role="search"
        onSubmit={(event) => {
          event.preventDefault();
          const place = placeOf(line);
          setError(
            place === null
              ? 'Paste a line of a stack, such as: at f (https://shop.example/app.js:1:734)'
              : null,
          );
          if (place !== null) asked.mutate({ projectId, ...place, release, debugId });
        }}
      >
        <TextField
          label="Line of a stack"
          name="frame"
          required
          autoComplete="off"
          spellCheck={false}
          value={line}
          onChange={(event) => setLine(event.target.value)}
          error={error ?? (asked.isError ? problemText(asked.error) : null)}
        />
        <TextField
          label="Release"
          name="release"
          autoComplete="off"
          value={release}
          onChange={(event) => setRelease(event.target.value)}
          hint="Used when the file has no debug id"
        />
        <TextField
          label="Debug id"
          name="debug_id"
          autoComplete="off"
          spellCheck={false}
          value={debugId}
          onChange={(event) => setDebugId(event.target.value)}
        />
        <Button kind="primary" type="submit" isBusy={asked.isPending}>
          Explain
        </Button>
      </form>
      <div aria-live="polite">{asked.data !== undefined && <Answer explanation={asked.data} />}</div>
    </>
  );
}

async function explain(asked: {
  projectId: string;
  file: string;
  line: number | null;
  column: number | null;
  release: string;
  debugId: string;
}) {
  const { projectId: id, file, line, column, release, debugId } = asked;
  const body = { file, line, column, release: release.trim() || null, debug_id: debugId.trim() || null };
  return await call(explainFrame, { params: { id }, body });
}

function Answer({ explanation }: { explanation: Explanation }) {
  const { mapped, words, hint, looked_for: lookedFor, candidates } = explanation;
  if (mapped !== null) {
    const { file, line, column, function: name, source } = mapped;
    const lines = source === null ? null : [...source.before, source.text, ...source.after].join('\n');
    return (
      <Notice
        title={`Mapped to ${visibleLine(`${file}:${line}:${column}`)}${name === null ? '' : ` ${visibleLine(name)}`}`}
      >
        {lines !== null && <CodeBlock code={visibleText(lines)} label="Source" />}
      </Notice>
    );
  }
  return (
    <>
      <Notice title={visibleLine(words ?? 'This frame is not looked up.')}>
        {hint !== null && visibleLine(hint)}
      </Notice>
      {lookedFor !== null && (
        <FactList
          facts={[
            [
              lookedFor.by === 'release' ? 'Release' : 'Debug id',
              <code key="key">{visibleLine(lookedFor.key)}</code>,
            ],
          ]}
        />
      )}
      {candidates.length > 0 && (
        <DataTable
          label="Files with similar names"
          rows={candidates}
          keyOf={({ path, debug_id: id, release }) => `${path} ${id} ${release}`}
          columns={[
            { title: 'File', cell: ({ path }) => <code>{visibleLine(path)}</code> },
            { title: 'Debug id', cell: ({ debug_id: id }) => id ?? 'none' },
            { title: 'Release', cell: ({ release }) => (release === null ? 'none' : visibleLine(release)) },
            { title: 'Uploaded', cell: ({ uploaded_at: at }) => <Time iso={at} /> },
          ]}
        />
      )}
    </>
  );
}

/** The place that a line of a stack names; line and column are null where it names none. */
function placeOf(text: string): { file: string; line: number | null; column: number | null } | null {
  const line = text.trim().slice(0, 4096);
  const inBrackets = /\(([^()]*)\)$/.exec(line)?.[1];
  const place = (inBrackets ?? line.slice(line.indexOf('@') + 1))
    .replace(/^(?:at\s+)?(?:async\s+)?/, '')
    .trim();
  const [, file = place, ...numbers] = /^(\S+?)(?::(\d{1,9}))?(?::(\d{1,9}))?$/.exec(place) ?? [];
  if (file === '' || /\s/.test(file)) return null;
  const [at, column] = numbers.map((number) => (number === undefined ? null : Number(number)));
  return { file, line: at ?? null, column: column ?? null };
}
