// Chooses the view by the address, keeps the theme, and shows what goes wrong.
import { get, key, setKey } from './api.js';
import { jobsView } from './jobs.js';
import { queueView } from './queue.js';
import { modelsView } from './models.js';
import { tryView } from './try.js';

const VIEWS = { jobs: jobsView, queue: queueView, models: modelsView, try: tryView };
const view = document.getElementById('view');
const alert = document.getElementById('trouble');
let leave = () => {};

function trouble(error) {
  alert.hidden = !error;
  alert.textContent = error ? error.message : '';
}

// The address is #VIEW or #VIEW/WHAT, so that a job or a model can be linked to.
function show() {
  const [said, what] = location.hash.slice(1).split('/');
  if (said === 'view') return; // the link to the content
  const name = said in VIEWS ? said : 'jobs';
  leave();
  view.replaceChildren();
  document.querySelectorAll('nav a').forEach((link) => {
    const here = link.getAttribute('href') === '#' + name;
    if (here) link.setAttribute('aria-current', 'page'); else link.removeAttribute('aria-current');
  });
  view.removeAttribute('aria-busy');
  document.title = 'Tutti: ' + name;
  leave = VIEWS[name](view, trouble, what);
}

function theme(name) {
  document.documentElement.dataset.theme = name;
  localStorage.setItem('theme', name);
}

theme(localStorage.getItem('theme') || (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light'));
document.getElementById('theme').addEventListener('click', () => {
  theme(document.documentElement.dataset.theme === 'dark' ? 'light' : 'dark');
  show();
});
document.getElementById('key').addEventListener('click', () => {
  const given = prompt('API key', key());
  if (given !== null) { setKey(given); show(); }
});

async function resources() {
  try {
    const { machine, free, queue } = await get('/api/resources');
    document.getElementById('resources').textContent = (machine.cores - free.cores) + ' of ' + machine.cores + ' cores in use'
      + (queue.length ? ', ' + queue.length + ' waiting' : '');
  } catch (e) { /* the view says it */ }
}
addEventListener('hashchange', show);
show();
resources();
setInterval(resources, 3000);
