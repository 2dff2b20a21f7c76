// The jobs: a table, and for the chosen one its curves, time line, members, settings and log.
import { call, get, follow } from './api.js';
import { element, table, cells, number, chart, state, COLOURS } from './dom.js';

const MOST_POINTS = 2000;
const POSSIBLE = {
  pause: ['running', 'queued'], resume: ['paused', 'failed', 'cancelled'], cancel: ['running', 'queued', 'paused', 'stopping'],
  delete: ['finished', 'failed', 'cancelled', 'paused', 'queued'],
};

const PHASES = ['compute', 'waiting', 'wire', 'feeding', 'update', 'other'];
const MARKS = { joined: '＋', left: '–', lost: '✕', failed: '✕', regrouped: '⟳', started: '▶', running: '▶', finished: '✓', published: '★', configured: '⚙', epoch: '·' };

export function jobsView(view, trouble, wanted) {
  let chosen = null;
  let shown = null;
  let left = false; // an answer that comes after the view was left opens nothing
  const list = element('section', { 'aria-label': 'Jobs', class: 'joblist' }, element('p', { 'aria-busy': 'true' }, 'Loading ...'));
  const detail = element('section', { 'aria-label': 'Job' });
  view.append(submitForm(trouble, refresh), list, detail);

  async function refresh() {
    const { jobs } = await get('/api/jobs');
    if (left) return;
    jobs.sort((a, b) => b.submitted.localeCompare(a.submitted));
    const focused = document.activeElement?.dataset?.job;
    const rows = jobs.map((job) => row(job, choose, chosen));
    list.replaceChildren(jobs.length
      ? table(['Name', 'State', 'User', 'Priority', 'Cores', 'Submitted', 'Message', 'Job'], rows)
      : element('p', {}, 'There are no jobs yet: submit one above.'));
    if (focused) list.querySelector('tr[data-job="' + focused + '"]')?.focus();
    if (shown) shown.update(jobs.find((job) => job.id === chosen)?.state);
    if (chosen === null && jobs.length) choose(jobs.some((job) => job.id === wanted) ? wanted : jobs[0].id);
    if (chosen !== null && !jobs.some((job) => job.id === chosen)) { // it was deleted
      if (shown) shown.close();
      shown = null;
      chosen = null;
      detail.replaceChildren();
    }
  }

  function choose(id) {
    if (id === chosen && shown) return;
    chosen = id;
    if (shown) shown.close();
    history.replaceState(null, '', '#jobs/' + id);
    shown = jobDetail(detail, id, trouble, refresh);
    refresh().catch(trouble);
  }

  refresh().catch(trouble);
  const timer = setInterval(() => refresh().catch(trouble), 2000);
  return () => { left = true; clearInterval(timer); if (shown) shown.close(); };
}

function row(job, choose, chosen) {
  return element('tr', {
    tabindex: '0', 'data-job': job.id, class: job.id === chosen ? 'chosen' : null,
    onclick: () => choose(job.id), onkeydown: (e) => { if (e.key === 'Enter') choose(job.id); },
  }, ...cells(job.name, state(job.state), job.user, job.priority, job.cores, new Date(job.submitted).toLocaleString(),
    job.published ? 'published as ' + job.publish + ' version ' + job.published : job.message, element('code', {}, job.id)));
}

function submitForm(trouble, done) {
  const text = element('textarea', { name: 'job', rows: '4', 'aria-label': 'Job file', placeholder: 'mnist, or a job file in YAML' });
  text.value = 'mnist';
  const cores = element('input', { type: 'number', min: '1', value: '1', 'aria-label': 'Cores' });
  const priority = element('input', { type: 'number', value: '0', 'aria-label': 'Priority' });
  const publish = element('input', { placeholder: 'publish the model as ...', 'aria-label': 'Publish as' });
  const memory = element('input', { type: 'number', min: '0', value: '0', 'aria-label': 'Memory in MB, 0 for no limit' });
  const form = element('form', {}, text, element('div', { class: 'fields' }, labelled('Cores', cores), labelled('Priority', priority),
    labelled('Memory (MB)', memory), labelled('Publish as', publish), element('button', { type: 'submit' }, 'Submit')));
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    try {
      await call('POST', '/api/jobs', {
        job: text.value, cores: Number(cores.value), priority: Number(priority.value),
        memoryMegabytes: Number(memory.value), publish: publish.value || undefined,
      });
      trouble(null);
      done();
    } catch (e) { trouble(e); }
  });
  return element('details', {}, element('summary', { role: 'button', class: 'outline small' }, 'Submit a job'), form);
}

const labelled = (words, field) => element('div', {}, element('small', {}, words), field);

function jobDetail(box, id, trouble, changed) {
  const head = element('h3', {}, id);
  const about = element('p', { role: 'status' }, 'Loading ...');
  const losses = chart('Loss', 'line', { x: 'step' });
  const metrics = chart('After each epoch', 'line', { x: 'epoch', points: true });
  const pace = chart('Samples per second', 'line', { x: 'step' });
  const timeline = element('ol', { class: 'timeline' });
  const log = element('pre', { class: 'log', tabindex: '0', 'aria-label': 'Log' });
  const members = element('div');
  const spent = element('div', { class: 'spent' });
  const bar = element('progress', { value: '0', max: '1', 'aria-label': 'Progress' });
  const rate = element('input', { 'aria-label': 'Learning rate', placeholder: 'learning rate, such as 0.001' });
  const changes = element('p');
  const jobFile = element('pre', { class: 'log', tabindex: '0', 'aria-label': 'What was submitted' });
  const settings = element('div', { class: 'settings' }, changes,
    element('details', {}, element('summary', {}, 'The job file'), jobFile));
  const act = (name, method = 'POST', path = '/' + name, body) => element('button', {
    type: 'button', 'data-act': name, class: 'small outline', onclick: () => call(method, '/api/jobs/' + id + path, body).then(() => { trouble(null); changed(); }, trouble),
  }, name);
  const set = element('button', { type: 'button', class: 'small', onclick: () =>
    call('PUT', '/api/jobs/' + id + '/settings', { learningRate: rate.value })
      .then(() => { trouble(null); slow(); }, trouble) }, 'Set');
  box.replaceChildren(head, bar, about,
    element('div', { class: 'actions' }, act('pause'), act('resume'), act('cancel'), act('delete', 'DELETE', '')),
    element('div', { class: 'columns' }, losses.box, metrics.box, pace.box),
    element('div', { class: 'columns' },
      element('article', {}, element('header', {}, 'What happened'), timeline),
      element('article', {}, element('header', {}, 'Members'), members, spent),
      element('article', {}, element('header', {}, 'Settings'), element('div', { class: 'fields line' }, rate, set), settings)),
    element('article', {}, element('header', {}, 'Log'), log));

  losses.made.data.datasets = [{ label: 'training', data: [], borderColor: COLOURS[0] }];
  pace.made.data.datasets = [{ label: 'all members', data: [], borderColor: COLOURS[2] }];
  const drawn = new Set();
  let waiting = false;
  let closed = false;
  function draw(one) {
    drawn.add(one);
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => {
      waiting = false;
      if (!closed) drawn.forEach((each) => each.update('none')); // its charts are destroyed once it is closed
      drawn.clear();
    });
  }
  function add(set, x, y) {
    if (typeof y !== 'number') return;
    set.data.push({ x, y });
    if (set.data.length > MOST_POINTS) set.data = set.data.filter((_, i) => i % 2 === 0);
  }
  // The events of the file have times of their own, those of the stream the time at which they came: kept in order.
  function happened(time, kind, words) {
    const entry = element('li', { class: 'event ' + kind, 'data-time': String(time) },
      element('span', { class: 'mark', 'aria-hidden': 'true' }, MARKS[kind] || '•'),
      element('time', { datetime: new Date(time).toISOString() }, new Date(time).toLocaleTimeString()), element('span', {}, words));
    const follower = [...timeline.children].reverse().findIndex((one) => Number(one.dataset.time) <= time);
    const place = follower < 0 ? 0 : timeline.children.length - follower;
    timeline.insertBefore(entry, timeline.children[place] || null);
    timeline.scrollTop = timeline.scrollHeight;
  }
  // Where the seconds of each member went, as one bar that is the same length for all.
  function times(line) {
    spent.replaceChildren(element('small', {}, line.limit), ...line.members.map((member) => {
      const other = Math.max(0, member.elapsed - PHASES.slice(0, 5).reduce((sum, phase) => sum + member[phase], 0));
      const parts = PHASES.map((phase) => [phase, phase === 'other' ? other : member[phase]]);
      const all = Math.max(1e-9, parts.reduce((sum, [, seconds]) => sum + seconds, 0));
      return element('div', { class: 'share', role: 'img', 'aria-label': member.member + ': '
          + parts.map(([phase, seconds]) => phase + ' ' + number(seconds, 3) + ' s').join(', ') },
        element('span', {}, member.member), element('span', { class: 'stack' }, ...parts.map(([phase, seconds], i) =>
          element('i', { class: 'phase' + i, style: 'width:' + (100 * seconds / all).toFixed(2) + '%', title: phase + ' ' + number(seconds, 3) + ' s' }))));
    }), element('div', { class: 'legend' }, ...PHASES.map((phase, i) => element('span', {}, element('i', { class: 'phase' + i }), phase))));
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
    happened(line.time, 'epoch', 'epoch ' + line.epoch + ' of ' + line.epochs + ' in ' + number(line.seconds, 3) + ' s: '
      + Object.entries(line.validation || line.training).map(([name, value]) => name + ' ' + number(value)).join(', '));
  }
  let ended = false; // the stream has ended, as the job was paused or is over; it is opened again when the job goes on
  let last = '0';
  function heard(event, data, place) {
    last = place;
    if (event === 'end') {
      ended = true;
    } else if (event === 'state') {
      head.replaceChildren(data.name + ' ', state(data.state));
      about.textContent = 'job ' + data.id + ' of ' + data.user + ', attempt ' + data.attempts
        + (data.message ? ': ' + data.message : '');
      const when = data.ended || (data.state === 'running' ? data.started : data.state === 'queued' && data.attempts === 0 ? data.submitted : null);
      happened(when ? Date.parse(when) : Date.now(), data.state, data.state + (data.message ? ': ' + data.message : ''));
      box.querySelectorAll('[data-act]').forEach((button) => { button.disabled = !POSSIBLE[button.dataset.act].includes(data.state); });
      if (data.state === 'finished') bar.value = 1;
      if (data.published) happened(Date.parse(data.ended), 'published', 'published as ' + data.publish + ' version ' + data.published);
    } else if (event === 'progress' && data.kind === 'step') {
      add(losses.made.data.datasets[0], data.step, data.loss);
      add(pace.made.data.datasets[0], data.step, data.samplesPerSecond);
      about.textContent = 'epoch ' + data.epoch + ' of ' + data.epochs + ', step ' + data.step + ', loss ' + number(data.loss)
        + ', learning rate ' + number(data.learningRate);
      bar.value = (data.epoch - 1 + (data.stepsPerEpoch ? (data.step % data.stepsPerEpoch) / data.stepsPerEpoch : 0)) / data.epochs;
      draw(losses.made); draw(pace.made);
    } else if (event === 'progress' && data.kind === 'times') {
      times(data);
    } else if (event === 'progress' && data.kind === 'epoch') {
      epoch(data);
    } else if (event === 'progress') {
      happened(data.time, data.event, data.event + ': ' + data.message);
    }
  }
  const path = '/api/jobs/' + id + '/events';
  let stop = follow(path, heard);
  async function slow() {
    const atEnd = log.scrollTop + log.clientHeight >= log.scrollHeight - 4;
    log.textContent = (await get('/api/jobs/' + id + '/log')) || 'Nothing was logged yet.';
    if (atEnd) log.scrollTop = log.scrollHeight;
    const about = await get('/api/jobs/' + id);
    const set = Object.entries(about.settings);
    changes.textContent = set.length
      ? 'Changed while it runs: ' + set.map(([name, value]) => name + ' = ' + (value || 'as in the job file')).join(', ')
      : 'Nothing was changed while it runs.';
    jobFile.textContent = about.job;
    const found = (await get('/api/jobs/' + id + '/members')).members;
    members.replaceChildren(found.length
      ? table(['Member', 'State', 'Rank', 'Step', 'Its part of a step', ''], found.map((m) => element('tr', {}, ...cells(
        m.id, m.gone || m.state.toLowerCase(), m.rank < 0 ? '-' : m.rank, m.report ? m.report.step : '-',
        m.pace > 0 ? number(1000 * m.pace, 3) + ' ms' : '-', m.slower > 1.2 ? number(m.slower, 2) + ' times as long as the others' : ''))))
      : element('p', {}, spent.hasChildNodes() ? 'Where their time went:' : about.record.state === 'running' ? 'One process.' : 'No process works for it.'));
  }
  slow().catch(() => {});
  const timer = setInterval(() => slow().catch(() => {}), 3000);
  return {
    update(now) {
      if (!ended || !['queued', 'running', 'stopping'].includes(now)) return;
      ended = false;
      stop = follow(path, heard, last);
    },
    close() { closed = true; clearInterval(timer); stop(); losses.made.destroy(); metrics.made.destroy(); pace.made.destroy(); },
  };
}
