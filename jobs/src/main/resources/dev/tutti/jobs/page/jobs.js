// The jobs: a table, and for the chosen one its curves, time line, members, settings and log.
import { call, get, follow } from './api.js';
import { element, table, cells, number, chart, COLOURS } from './dom.js';

const MOST_POINTS = 2000;

export function jobsView(view, trouble) {
  let chosen = null;
  let shown = null;
  const list = element('section', { 'aria-label': 'Jobs' });
  const detail = element('section', { 'aria-label': 'Job' });
  view.append(submitForm(trouble, refresh), list, detail);

  async function refresh() {
    const { jobs } = await get('/api/jobs');
    jobs.sort((a, b) => b.submitted.localeCompare(a.submitted));
    const rows = jobs.map((job) => row(job, choose, chosen));
    list.replaceChildren(jobs.length
      ? table(['Job', 'Name', 'User', 'State', 'Priority', 'Cores', 'Submitted', 'Message'], rows)
      : element('p', {}, 'There are no jobs yet: submit one above.'));
    if (chosen === null && jobs.length) choose(jobs[0].id);
  }

  function choose(id) {
    if (id === chosen && shown) return;
    chosen = id;
    if (shown) shown.close();
    shown = jobDetail(detail, id, trouble, refresh);
    refresh();
  }

  refresh().catch(trouble);
  const timer = setInterval(() => refresh().catch(trouble), 2000);
  return () => { clearInterval(timer); if (shown) shown.close(); };
}

function row(job, choose, chosen) {
  return element('tr', {
    tabindex: '0', 'data-job': job.id, class: job.id === chosen ? 'chosen' : null,
    onclick: () => choose(job.id), onkeydown: (e) => { if (e.key === 'Enter') choose(job.id); },
  }, ...cells(job.id, job.name, job.user, state(job.state), job.priority, job.cores,
    new Date(job.submitted).toLocaleString(), job.published ? 'published as version ' + job.published : job.message));
}

const state = (name) => element('span', { class: 'state ' + name }, name);

function submitForm(trouble, done) {
  const text = element('textarea', { name: 'job', rows: '4', 'aria-label': 'Job file', placeholder: 'mnist, or a job file in YAML' });
  text.value = 'mnist';
  const cores = element('input', { type: 'number', min: '1', value: '1', 'aria-label': 'Cores' });
  const priority = element('input', { type: 'number', value: '0', 'aria-label': 'Priority' });
  const publish = element('input', { placeholder: 'publish the model as ...', 'aria-label': 'Publish as' });
  const form = element('form', {}, text, element('div', { class: 'grid' }, cores, priority, publish,
    element('button', { type: 'submit' }, 'Submit')));
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    try {
      await call('POST', '/api/jobs', {
        job: text.value, cores: Number(cores.value), priority: Number(priority.value), publish: publish.value || undefined,
      });
      trouble(null);
      done();
    } catch (e) { trouble(e); }
  });
  return element('details', {}, element('summary', { role: 'button', class: 'outline small' }, 'Submit a job'), form);
}

function jobDetail(box, id, trouble, changed) {
  const head = element('h3', {}, id);
  const about = element('p', { role: 'status' }, 'Loading ...');
  const losses = chart('Loss', 'line', { x: 'step' });
  const metrics = chart('After each epoch', 'line', { x: 'epoch', points: true });
  const pace = chart('Samples per second', 'line', { x: 'step' });
  const timeline = element('ol', { class: 'timeline' });
  const log = element('pre', { class: 'log', tabindex: '0', 'aria-label': 'Log' });
  const members = element('div');
  const rate = element('input', { 'aria-label': 'Learning rate', placeholder: 'learning rate' });
  const act = (name, method = 'POST', path = '/' + name, body) => element('button', {
    type: 'button', class: 'small outline', onclick: () => call(method, '/api/jobs/' + id + path, body).then(() => { trouble(null); changed(); }, trouble),
  }, name);
  const set = element('button', { type: 'button', class: 'small', onclick: () =>
    call('PUT', '/api/jobs/' + id + '/settings', { learningRate: rate.value }).then(() => trouble(null), trouble) }, 'Set');
  box.replaceChildren(head, about,
    element('div', { class: 'actions' }, act('pause'), act('resume'), act('cancel'), act('delete', 'DELETE', '')),
    element('div', { class: 'columns' }, losses.box, metrics.box, pace.box),
    element('div', { class: 'columns' },
      element('article', {}, element('header', {}, 'What happened'), timeline),
      element('article', {}, element('header', {}, 'Settings'), element('div', { class: 'grid' }, rate, set),
        element('header', {}, 'Members'), members)),
    element('article', {}, element('header', {}, 'Log'), log));

  losses.made.data.datasets = [{ label: 'training', data: [], borderColor: COLOURS[0] }];
  pace.made.data.datasets = [{ label: 'all members', data: [], borderColor: COLOURS[2] }];
  const drawn = new Set();
  let waiting = false;
  function draw(one) {
    drawn.add(one);
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => { waiting = false; drawn.forEach((each) => each.update('none')); drawn.clear(); });
  }
  function add(set, x, y) {
    if (typeof y !== 'number') return;
    set.data.push({ x, y });
    if (set.data.length > MOST_POINTS) set.data = set.data.filter((_, i) => i % 2 === 0);
  }
  function happened(time, words) {
    timeline.append(element('li', {}, new Date(time).toLocaleTimeString() + ' ' + words));
  }
  function epoch(line) {
    for (const part of ['training', 'validation']) {
      for (const [name, value] of Object.entries(line[part] || {})) {
        const label = part + ' ' + name;
        let data = metrics.made.data.datasets.find((one) => one.label === label);
        if (!data) {
          data = { label, data: [], borderColor: COLOURS[metrics.made.data.datasets.length % COLOURS.length], hidden: name === 'loss' };
          metrics.made.data.datasets.push(data);
        }
        add(data, line.epoch, value);
      }
    }
    draw(metrics.made);
    happened(line.time, 'epoch ' + line.epoch + ' of ' + line.epochs + ' in ' + number(line.seconds, 3) + ' s: '
      + Object.entries(line.validation || line.training).map(([name, value]) => name + ' ' + number(value)).join(', '));
  }
  const stop = follow('/api/jobs/' + id + '/events', (event, data) => {
    if (event === 'state') {
      head.replaceChildren(data.name + ' ', state(data.state));
      about.textContent = 'job ' + data.id + ' of ' + data.user + ', attempt ' + data.attempts
        + (data.message ? ': ' + data.message : '');
      happened(Date.now(), data.state);
    } else if (event === 'progress' && data.kind === 'step') {
      add(losses.made.data.datasets[0], data.step, data.loss);
      add(pace.made.data.datasets[0], data.step, data.samplesPerSecond);
      about.textContent = 'epoch ' + data.epoch + ' of ' + data.epochs + ', step ' + data.step + ', loss ' + number(data.loss)
        + ', learning rate ' + number(data.learningRate);
      draw(losses.made); draw(pace.made);
    } else if (event === 'progress' && data.kind === 'epoch') {
      epoch(data);
    } else if (event === 'progress') {
      happened(data.time, data.event + ': ' + data.message);
    }
  });
  async function slow() {
    log.textContent = await get('/api/jobs/' + id + '/log');
    const found = (await get('/api/jobs/' + id + '/members')).members;
    members.replaceChildren(found.length
      ? table(['Member', 'State', 'Rank', 'Pace'], found.map((m) => element('tr', {}, ...cells(
        m.id, m.gone || m.state.toLowerCase(), m.rank < 0 ? '-' : m.rank, m.pace > 0 ? number(1000 * m.pace, 3) + ' ms' : '-'))))
      : element('p', {}, 'One process.'));
  }
  slow().catch(() => {});
  const timer = setInterval(() => slow().catch(() => {}), 3000);
  return { close() { clearInterval(timer); stop(); losses.made.destroy(); metrics.made.destroy(); pace.made.destroy(); } };
}
