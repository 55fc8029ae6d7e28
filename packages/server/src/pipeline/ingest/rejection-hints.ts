/** Reports to the readers of the stream of changes that events of their projects were rejected. */
interface RejectionHints {
  /** For projects whose rejections were just committed. */
  note(projectIds: Iterable<string>): void;
  /** Sends what is still to be sent. */
  flush(): Promise<void>;
}

/** Rejections of this long are one notification, because a library that sends bad events sends many. */
const TOGETHER_MS = 250;

/** @param send where it rejects, readers find the rejections when they read again */
export function createRejectionHints(send: (projectIds: readonly string[]) => Promise<void>): RejectionHints {
  const noted = new Set<string>();
  let timer: NodeJS.Timeout | undefined;

  async function flush(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    if (noted.size === 0) return;
    const projectIds = [...noted];
    noted.clear();
    await send(projectIds).catch(() => {});
  }

  return {
    note(projectIds) {
      for (const id of projectIds) noted.add(id);
      if (noted.size > 0) timer ??= setTimeout(() => void flush(), TOGETHER_MS);
    },
    flush,
  };
}
