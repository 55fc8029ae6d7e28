/** Sets what was chosen in the settings before anything is painted; everything else follows the system. */
try {
  const chosen: unknown = JSON.parse(localStorage.getItem('culprit.appearance') ?? '{}');
  if (typeof chosen === 'object' && chosen !== null) {
    for (const [name, value] of Object.entries(chosen)) {
      if (name === 'theme' || name === 'density') document.documentElement.dataset[name] = String(value);
    }
  }
} catch {}

/** If the program itself is gone or refused, the page shows that instead of staying blank. */
addEventListener(
  'error',
  ({ target }) => {
    if (!(target instanceof HTMLScriptElement)) return;
    addEventListener('load', () => {
      const root = document.getElementById('root');
      if (root?.childElementCount === 0)
        root.textContent =
          'The dashboard could not be loaded. Reload the page; the service may just be starting.';
    });
  },
  true,
);
