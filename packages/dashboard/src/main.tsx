import './base.css';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app.tsx';
import { router } from './router.tsx';
import { watchParts } from './shell/lost-parts.ts';
import { watchBuild } from './shell/new-build.ts';

const root = document.getElementById('root');
if (root === null) throw new Error('the page has no root');
watchBuild();
watchParts(router);
createRoot(root).render(
  <StrictMode>
    <App />
  </StrictMode>,
);
