// A place to try a model: draw, upload an image, or type a row.
import { call, get } from './api.js';
import { element } from './dom.js';

export function tryView(view, trouble, wanted) {
  const choice = element('select', { 'aria-label': 'Model' });
  const canvas = element('canvas', { class: 'draw', width: '280', height: '280', tabindex: '0', 'aria-label': 'Draw here' });
  const waiting = () => element('p', { class: 'none' }, 'It appears here.');
  const answer = element('div', { role: 'status', id: 'answer' }, waiting());
  const file = element('input', { type: 'file', accept: 'image/png,image/jpeg', 'aria-label': 'An image' });
  const row = element('textarea', { rows: '3', 'aria-label': 'A row', placeholder: '[1, 2, 3, 4] or 1,2,3,4' });
  const pen = drawing(canvas, askDrawing);
  const hint = element('small', { role: 'status' });
  view.append(element('div', { class: 'fields line' }, choice, hint), element('div', { class: 'columns' },
    element('article', { 'data-way': 'draw' }, element('header', {}, 'Draw a digit'), canvas, element('div', { class: 'under' },
      element('button', { type: 'button', class: 'small outline', onclick: () => { pen.clear(); answer.replaceChildren(waiting()); } }, 'Clear'))),
    element('article', {}, element('header', {}, 'Or give an image or a row'), file, row,
      element('button', { type: 'button', class: 'small', onclick: askRow }, 'Ask')),
    element('article', {}, element('header', {}, 'Answer'), answer)));

  const path = () => '/models/' + choice.value + '/predict';
  async function ask(body, type) {
    try {
      const began = performance.now();
      const reply = await call('POST', path(), body, type);
      trouble(null);
      show(reply, performance.now() - began);
    } catch (e) { trouble(e); }
  }
  function askDrawing() {
    centred(canvas).toBlob((png) => ask(png, 'image/png'), 'image/png');
  }
  function askRow() {
    const text = row.value.trim();
    if (!text) return;
    if (!text.startsWith('[')) { ask(text, 'text/csv'); return; }
    let value;
    try { value = JSON.parse(text); } catch (e) { trouble(new Error('The row is not valid JSON: ' + e.message)); return; }
    ask(value);
  }
  file.addEventListener('change', () => { if (file.files[0]) ask(file.files[0], file.files[0].type); });

  function show(reply, millis) {
    answer.replaceChildren(...reply.predictions.flatMap((one) => one.top
      ? [element('h2', { id: 'class' }, one.class), ...one.top.map((each) => element('div', { class: 'bar' },
        element('span', {}, each.class), element('progress', { value: each.probability, max: '1' }),
        element('span', {}, (100 * each.probability).toFixed(1) + '%')))]
      : [element('pre', {}, JSON.stringify(one.output ?? one))]),
    element('small', {}, reply.model + ' version ' + reply.version + ', ' + millis.toFixed(0) + ' ms'));
  }

  // A model that is published while the view is open appears in the list.
  let names = [];
  let left = false; // an answer that comes after the view was left says nothing
  async function refresh() {
    const { models } = await get('/models');
    if (left) return;
    const now = models.filter((model) => model.ready).map((model) => model.name);
    if (now.join() === names.join() && now.length) return;
    const before = choice.value || wanted;
    names = now;
    choice.replaceChildren(...now.map((name) => element('option', {}, name)));
    if (now.includes(before)) choice.value = before;
    hint.textContent = now.length ? '' : 'No model is served yet: a job that publishes one adds it here.';
    describe(models);
    choice.onchange = () => describe(models);
  }
  // What the model takes, and only the ways to ask it that fit.
  function describe(models) {
    const model = models.find((one) => one.name === choice.value);
    const version = model && (model.versions.find((one) => one.version === model.current) || model.versions[0]);
    if (!version) return;
    const shape = version.inputs[0].shape;
    const image = shape.length === 3 && (shape[0] === 1 || shape[0] === 3);
    view.querySelector('[data-way=draw]').hidden = !image;
    file.hidden = !image;
    row.placeholder = 'A row of shape [' + shape.join(', ') + '] as JSON, or numbers with commas between';
    hint.textContent = 'version ' + version.version + ' takes ' + (image ? 'images' : 'rows') + ' of shape [' + shape.join(', ') + ']';
  }
  const failed = (error) => { if (!left) trouble(error); };
  refresh().then(() => failed(null), failed);
  const timer = setInterval(() => refresh().catch(failed), 1500);
  return () => { left = true; clearInterval(timer); };
}

// The digits of MNIST fill 20 of 28 pixels, and their centre of mass is in the middle: a drawing is brought to the same place and size.
function centred(canvas) {
  const side = canvas.width;
  const pixels = canvas.getContext('2d').getImageData(0, 0, side, side).data;
  let [left, top, right, bottom, mass, x, y] = [side, side, 0, 0, 0, 0, 0];
  for (let i = 0; i < side * side; i++) {
    const ink = pixels[4 * i];
    if (ink === 0) continue;
    const [column, line] = [i % side, Math.floor(i / side)];
    left = Math.min(left, column); right = Math.max(right, column);
    top = Math.min(top, line); bottom = Math.max(bottom, line);
    mass += ink; x += ink * column; y += ink * line;
  }
  if (mass === 0) return canvas;
  const moved = element('canvas', { width: String(side), height: String(side) });
  const pen = moved.getContext('2d');
  const scale = (side * 20 / 28) / Math.max(right - left + 1, bottom - top + 1);
  pen.fillStyle = '#000';
  pen.fillRect(0, 0, side, side);
  pen.setTransform(scale, 0, 0, scale, side / 2 - scale * x / mass, side / 2 - scale * y / mass);
  pen.drawImage(canvas, left, top, right - left + 1, bottom - top + 1, left, top, right - left + 1, bottom - top + 1);
  return moved;
}

// White strokes on black, as the digits of MNIST are.
function drawing(canvas, done) {
  const pen = canvas.getContext('2d');
  let down = false;
  function clear() {
    pen.fillStyle = '#000';
    pen.fillRect(0, 0, canvas.width, canvas.height);
  }
  function place(event) {
    const box = canvas.getBoundingClientRect();
    return [(event.clientX - box.left) * canvas.width / box.width, (event.clientY - box.top) * canvas.height / box.height];
  }
  canvas.addEventListener('pointerdown', (event) => {
    down = true;
    canvas.setPointerCapture(event.pointerId);
    pen.beginPath();
    pen.moveTo(...place(event));
  });
  canvas.addEventListener('pointermove', (event) => {
    if (!down) return;
    pen.strokeStyle = '#fff';
    pen.lineWidth = 22;
    pen.lineCap = pen.lineJoin = 'round';
    pen.lineTo(...place(event));
    pen.stroke();
  });
  canvas.addEventListener('pointerup', () => { if (down) { down = false; done(); } });
  clear();
  return { clear };
}
