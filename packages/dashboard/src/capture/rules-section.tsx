import type { CaptureRule } from '@culprit/contract/capture/capture';
import { updateCaptureRule } from '@culprit/contract/capture/capture-rules';
import type { Project } from '@culprit/contract/workspace/projects';
import { inEvaluationOrder, matcherScore } from '@culprit/evidence/capture/capture-rule';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { problemText } from '../api/problem-words.ts';
import { bodyOf, client } from '../api/transport.ts';
import { visibleLine } from '../format/event-text.ts';
import { count } from '../format/numbers.ts';
import { Time, usePresent } from '../format/time.tsx';
import { pathTo } from '../paths.ts';
import { PartError } from '../shell/parts/part-error.tsx';
import { refusalFor } from '../shell/parts/roles.ts';
import { showToast } from '../shell/parts/toasts.tsx';
import { Button } from '../ui/button.tsx';
import { Switch } from '../ui/fields/switch.tsx';
import { RecordLine, RecordList } from '../ui/lists/record-list.tsx';
import { SkeletonRows } from '../ui/lists/skeleton.tsx';
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
      {data === undefined && error === null && <SkeletonRows rows={3} height="64px" />}
      {data === undefined && error !== null && <PartError error={error} retry={() => void refetch()} />}
      {data?.length === 0 && (
        <Notice
          title="No filters yet."
          action={
            <Button refusal={refusalFor('admin', project)} onClick={onMake}>
              New filter
            </Button>
          }
        >
          A rule makes less of events that say nothing: bots, other people's scripts, a known noise.
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
          <span title="The sum over its conditions. Filters with a higher sum are tried first.">
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
  const keep = (saved: CaptureRule) =>
    queryClient.setQueryData(queryKey, (rules) =>
      rules?.map((each) => (each.id === saved.id ? saved : each)),
    );
  const change = useMutation({
    mutationFn: async (enabled: boolean) => {
      const params = { id: project.project_id, ruleId: rule.id };
      return (await bodyOf(client.call(updateCaptureRule, { params, body: { enabled } }))).rule;
    },
    onMutate: (enabled) => keep({ ...rule, enabled }),
    onSuccess: keep,
    onError: (error) => {
      keep(rule);
      showToast(`The rule was not changed. ${problemText(error)}`);
    },
  });
  return (
    <Switch
      label={`Enabled: ${visibleLine(rule.name)}`}
      isOn={rule.enabled}
      refusal={refusalFor('admin', project)}
      onChange={(isOn) => change.mutate(isOn)}
    />
  );
}
