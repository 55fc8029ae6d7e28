import type { OperatorHealth } from '@culprit/contract/workspace/operator';
import { bytes, plural } from '../format/numbers.ts';
import { Time } from '../format/time.tsx';
import { DataTable } from '../ui/lists/data-table.tsx';
import { Section, SectionText } from '../ui/section.tsx';

/** Shows the running processes: each reports every half minute. */
export function Processes({ processes }: { processes: OperatorHealth['processes'] }) {
  return (
    <Section id="processes" title="Processes" note={plural(processes.length, 'process', 'processes')}>
      {processes.length === 0 ? (
        <SectionText>
          <p>No process has reported in the last two minutes.</p>
        </SectionText>
      ) : (
        <DataTable
          label="Processes"
          rows={processes}
          keyOf={({ host, pid, started_at: at }) => `${host} ${pid} ${at}`}
          columns={[
            { title: 'Role', cell: ({ role }) => <strong>{role === 'api' ? 'API' : 'Worker'}</strong> },
            { title: 'Host', cell: ({ host }) => host },
            { title: 'Process', cell: ({ pid }) => String(pid) },
            { title: 'Version', cell: ({ version }) => version },
            { title: 'Memory', cell: ({ rss_bytes: size }) => bytes(size) },
            { title: 'Started', cell: ({ started_at: at }) => <Time iso={at} /> },
            { title: 'Last seen', cell: ({ seen_at: at }) => <Time iso={at} /> },
          ]}
        />
      )}
    </Section>
  );
}
