import './ui/library';
import '@mantine/notifications/styles.css';
import './sheet/sheet.css';
import './footprint/figures.css';
import './review/review.css';
import './pages/event.css';
import './app.css';
import './ui/touch.css';
import './ui/forced.css';
import './ui/print.css';
import { createRoot } from 'react-dom/client';
import { App } from './app';
import { initI18n } from './i18n';

// A tab of the previous release asks for files that are gone; reloading brings
// the new ones. What was typed is kept in the browser.
window.addEventListener('vite:preloadError', (event) => {
  event.preventDefault();
  window.dispatchEvent(new Event('ecf-updated'));
});

await initI18n();
const root = document.getElementById('root');
if (root) createRoot(root).render(<App />);
