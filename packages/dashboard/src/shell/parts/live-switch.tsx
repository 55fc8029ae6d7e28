import { useMutation } from '@tanstack/react-query';
import { problemText } from '../../api/problem-words.ts';
import { Switch } from '../../ui/fields/switch.tsx';
import { showToast } from './toasts.tsx';

/** A switch of a record that applies immediately; if the server refuses the change, it is undone. */
export function LiveSwitch<Item>({
  label,
  noun,
  item,
  turned,
  isOn,
  refusal = null,
  keep,
  send,
}: {
  label: string;
  /** Names the record in the message of a failure: "rule". */
  noun: string;
  item: Item;
  /** The record with the switch in its other position. */
  turned: Item;
  isOn: boolean;
  refusal?: string | null;
  /** Stores a record in what is already read. */
  keep: (item: Item) => void;
  send: (isOn: boolean) => Promise<Item>;
}) {
  const change = useMutation({
    mutationFn: send,
    // The earlier record: during the request `item` is already the turned one.
    onMutate: () => {
      keep(turned);
      return item;
    },
    onSuccess: keep,
    onError: (error, _, before) => {
      if (before !== undefined) keep(before);
      showToast(`The ${noun} was not changed. ${problemText(error)}`);
    },
  });
  return <Switch label={label} isOn={isOn} refusal={refusal} onChange={(wanted) => change.mutate(wanted)} />;
}
