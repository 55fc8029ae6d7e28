import '../api/screen-problem-words.ts';
import type { DebugBundle } from '@culprit/contract/incidents/bundle';
import type { Improvement } from '@culprit/contract/incidents/improvements';
import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { incidentQuery } from '../api/incidents.ts';
import { visibleLine, visibleText } from '../format/event-text.ts';
import { plural } from '../format/numbers.ts';
import { Time } from '../format/time.tsx';
import { pathTo } from '../paths.ts';
import { Breadcrumb } from '../shell/frame/breadcrumb.tsx';
import { PageTitle, Reading, Sections } from '../shell/frame/page.tsx';
import { useProjectOfRecord } from '../shell/frame/project-of-screen.ts';
import link from '../shell/parts/link.module.css';
import { PartError } from '../shell/parts/part-error.tsx';
import { SeverityMark } from '../shell/triage/severity.tsx';
import { CodeBlock } from '../ui/code-block.tsx';
import { JsonView, withoutEmpty } from '../ui/json-view.tsx';
import { SkeletonRows } from '../ui/lists/skeleton.tsx';
import { Section, SectionText } from '../ui/section.tsx';
import { ImprovementActions } from './improvement-actions.tsx';
import styles from './improvement-page.module.css';
import { evidenceSentence, failureWords, kindWords, observationSentence } from './improvement-words.ts';
import { improvementBundleQuery, improvementQuery } from './improvements-queries.ts';

/** One improvement: what will break next, on what evidence, and whether it can wait. */
export function ImprovementPage() {
  const { id = '' } = useParams({ strict: false });
  const { data, error, refetch } = useQuery(improvementQuery(id));
  useProjectOfRecord(data?.project_id);
  if (data === undefined) {
    return (
      <Reading>
        <PageTitle title="Insight" windowTitle="Insight" />
        {error === null ? (
          <SkeletonRows rows={5} />
        ) : (
          <>
            <PartError error={error} retry={() => void refetch()} />
            <Link className={link.link} to={pathTo('home')}>
              Go to incidents
            </Link>
          </>
        )}
      </Reading>
    );
  }
  const pid = data.project_id;
  return (
    <Reading>
      <Breadcrumb>
        <Link to={pathTo('improvements', { pid })}>Insights</Link>
        <span>{visibleLine(data.title)}</span>
      </Breadcrumb>
      <PageTitle
        windowTitle={`${visibleLine(data.title)} · ${data.project_name}`}
        actions={<ImprovementActions improvement={data} />}
        title={
          <span dir="auto" translate="no" className={styles.title}>
            {visibleText(data.title)}
          </span>
        }
      />
      <p className={styles.facts}>
        <SeverityMark severity={data.severity} />
        <span>{kindWords(data.kind)}</span>
        <span>{stateWords(data)}</span>
        <span translate="no">{visibleLine(`${data.service_name} · ${data.environment}`)}</span>
        <span>
          first <Time iso={data.first_detected_at} />
        </span>
        <span>
          last <Time iso={data.last_detected_at} />
        </span>
        <span>{plural(data.occurrence_count, 'observation')}</span>
      </p>
      <Sections>
        <Section id="evidence" title="Evidence">
          <div className={styles.evidence}>
            <p className={styles.statement}>{evidenceSentence(data)}</p>
            <p className={styles.soft}>{observationSentence(data)}</p>
            {(data.evidence.message ?? data.evidence.statement) !== undefined && (
              <CodeBlock
                code={visibleText(data.evidence.message ?? data.evidence.statement ?? '')}
                label="template"
                isWrapped
              />
            )}
          </div>
        </Section>
        <Document improvement={data} />
        <Related improvement={data} />
      </Sections>
    </Reading>
  );
}

function stateWords({ status, snoozed_until: until }: Improvement) {
  if (status !== 'snoozed' || until === null) return status;
  return (
    <>
      snoozed, back <Time iso={until} form="absolute" />
    </>
  );
}

/** Shows the document of the improvement, or the reason why there is none. */
function Document({ improvement }: { improvement: Improvement }) {
  const { data, error, refetch } = useQuery(
    improvementBundleQuery(improvement.project_id, improvement.improvement_id),
  );
  if (data !== undefined && !('status' in data)) return <Sample bundle={data} />;
  return (
    <Section id="sample" title="Sample">
      {error !== null && data === undefined && <PartError error={error} retry={() => void refetch()} />}
      {data !== undefined && 'status' in data && (
        <SectionText>
          <p>
            {data.status === 'failed'
              ? failureWords(data.reason)
              : 'The evidence is being built. It will appear here shortly.'}
          </p>
        </SectionText>
      )}
    </Section>
  );
}

/** The blocks that have separate parts, or are not useful here. */
const ELSEWHERE = new Set(['error', 'error_chain', 'occurrences', 'stack', 'redaction']);

function Sample({ bundle }: { bundle: DebugBundle }) {
  const { recommended_action: action, likely_cause: cause } = bundle.summary;
  const { artifacts } = bundle.reproduction;
  const blocks = Object.entries(bundle.context).filter(
    ([name, block]) => !ELSEWHERE.has(name) && block !== null && block !== undefined,
  );
  return (
    <>
      {(action ?? cause) !== null && (
        <Section id="action" title="What to do">
          <div className={styles.evidence}>
            {action !== null && <p className={styles.statement}>{visibleLine(action)}</p>}
            {cause !== null && <p className={styles.soft}>{visibleLine(cause)}</p>}
          </div>
        </Section>
      )}
      {artifacts !== null && (
        <Section id="reproduction" title="Reproduction">
          <CodeBlock code={artifacts.curl} label="curl" />
        </Section>
      )}
      {blocks.length > 0 && (
        <Section id="sample" title="Sample" note="One observation, redacted">
          <div className={styles.blocks}>
            {blocks.map(([name, block]) => (
              <div key={name}>
                <h3>{name.replaceAll('_', ' ')}</h3>
                <JsonView value={withoutEmpty(block)} show={visibleText} levels={1} />
              </div>
            ))}
          </div>
        </Section>
      )}
    </>
  );
}

function Related({ improvement: { related_incident_ids: ids } }: { improvement: Improvement }) {
  if (ids.length === 0) return null;
  return (
    <Section id="related" title="Related incidents">
      <ul className={styles.related}>
        {ids.map((id) => (
          <li key={id}>
            <Link className={link.link} to={pathTo('incident', { id })}>
              <TitleOf id={id} />
            </Link>
          </li>
        ))}
      </ul>
    </Section>
  );
}

/** The title of an incident; its id while that is read, and where it is gone. */
function TitleOf({ id }: { id: string }) {
  const { data } = useQuery(incidentQuery(id));
  if (data === undefined) return <code>{id}</code>;
  return (
    <span dir="auto" translate="no">
      {visibleLine(data.title)}
    </span>
  );
}
