import type { CaptureRule } from '@culprit/contract/capture/capture';
import { updateCaptureRule } from '@culprit/contract/capture/capture-rules';
import type { Project } from '@culprit/contract/workspace/projects';
import { inEvaluationOrder, matcherScore } from '@culprit/evidence/capture/capture-rule';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { call } from '../api/transport.ts';
import { visibleLine } from '../format/event-text.ts';
import { count } from '../format/numbers.ts';
import { Time, usePresent } from '../format/time.tsx';
import { pathTo } from '../paths.ts';
import { LiveSwitch } from '../shell/parts/live-switch.tsx';
import { LoadingPart } from '../shell/parts/loading-part.tsx';
import { refusalFor } from '../shell/parts/roles.ts';
import { Button } from '../ui/button.tsx';
import { RecordLine, RecordList } from '../ui/lists/record-list.tsx';
import { Notice } from '../ui/notice.tsx';
import { SentenceLine } from '../ui/sentence.tsx';
import styles from './capture.module.css';
import { rulesQuery } from './capture-query.ts';
import { ruleSentence } from './rule-sentence.ts';

/** The rules in the order in which they are tried: the narrowest first, and the first that matches decides. */
export function RulesSection({ project, onMake }: { project: Project; onMake: () => void }) {
  const { data, error, refetch } = useQuery(rulesQuery(project.project_id));
  return (
    <section className={styles.section} aria-labelledby="rules">
      <div className={styles.head}>
        <h2 id="rules">Rules</h2>
        <p className={styles.soft}>
          Tried in this order, the narrowest first. The first one that matches decides.
        </p>
      </div>
      {data === undefined && <LoadingPart error={error} retry={refetch} rows={3} height="64px" />}
      {data?.length === 0 && (
        <Notice
          title="No filters yet."
          action={
            <Button refusal={refusalFor('admin', project)} onClick={onMake}>
              New filter
            </Button>
          }
        >
          A filter reduces noise, such as bots, third-party scripts and known errors.
        </Notice>
      )}
      {data !== undefined && data.length > 0 && (
        <RecordList label="Filters">
          {inOrder(data).map((rule, index) => (
            <RuleLine key={rule.id} project={project} rule={rule} place={index + 1} />
          ))}
        </RecordList>
      )}
    </section>
  );
}

function inOrder(rules: readonly CaptureRule[]): CaptureRule[] {
  const keyed = rules.map((rule) => ({
    rule,
    ruleId: rule.id,
    matcher: rule.matcher,
    updatedAtMs: Date.parse(rule.updated_at),
  }));
  return inEvaluationOrder(keyed).map(({ rule }) => rule);
}

function RuleLine({ project, rule, place }: { project: Project; rule: CaptureRule; place: number }) {
  const now = usePresent();
  const { expires_at: expiresAt, last_matched_at: matchedAt } = rule;
  const isOver = expiresAt !== null && Date.parse(expiresAt) <= now;
  return (
    <RecordLine
      isDim={!rule.enabled || isOver}
      title={
        <Link to={pathTo('captureRule', { pid: project.project_id, ruleId: rule.id })}>
          <span className={styles.place}>{place}</span> <b translate="no">{visibleLine(rule.name)}</b>
        </Link>
      }
      facts={
        <>
          <SentenceLine
            sentence={ruleSentence({
              action: rule.action,
              matcher: rule.matcher,
              sampleRate: rule.sample_rate,
              sampleEventClass: rule.sample_event_class,
              until: null,
            })}
          />
          <span>
            {count(rule.hit_count)} {rule.hit_count === 1 ? 'hit' : 'hits'}
          </span>
          {matchedAt !== null && (
            <span>
              last <Time iso={matchedAt} />
            </span>
          )}
          {expiresAt !== null && (
            <span>
              {isOver ? 'expired' : 'expires'} <Time iso={expiresAt} form={isOver ? 'ago' : 'relative'} />
            </span>
          )}
          <span title="The sum of its conditions. Filters with a higher sum are tried first.">
            specificity {matcherScore(rule.matcher)}
          </span>
        </>
      }
      controls={<RuleSwitch project={project} rule={rule} />}
    />
  );
}

function RuleSwitch({ project, rule }: { project: Project; rule: CaptureRule }) {
  const queryClient = useQueryClient();
  const { queryKey } = rulesQuery(project.project_id);
  return (
    <LiveSwitch
      label={`Enabled: ${visibleLine(rule.name)}`}
      noun="rule"
      item={rule}
      turned={{ ...rule, enabled: !rule.enabled }}
      isOn={rule.enabled}
      refusal={refusalFor('admin', project)}
      keep={(saved) =>
        queryClient.setQueryData(queryKey, (rules) =>
          rules?.map((each) => (each.id === saved.id ? saved : each)),
        )
      }
      send={async (enabled) => {
        const params = { id: project.project_id, ruleId: rule.id };
        return (await call(updateCaptureRule, { params, body: { enabled } })).rule;
      }}
    />
  );
}
