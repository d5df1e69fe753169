// A real server with data of its own, on a port of its own.
import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { patience } from './browser.mjs';

const program = process.env.ECF_BIN ?? fileURLToPath(new URL('../../../../bin/ecf', import.meta.url));

const freePort = () =>
  new Promise((resolve) => {
    const s = createServer().listen(0, '127.0.0.1', () => {
      const { port } = s.address();
      s.close(() => resolve(port));
    });
  });

export class Server {
  static async start() {
    const s = new Server();
    s.program = program;
    s.dir = mkdtempSync(join(tmpdir(), 'ecf-console-'));
    for (let tries = 1; ; tries++) {
      s.port = await freePort();
      s.url = `http://127.0.0.1:${s.port}`;
      try {
        await s.run();
        break;
      } catch (cause) {
        // Another program may have taken the port since it was found free.
        s.process.kill('SIGKILL');
        if (tries === 3 || !/address already in use/.test(s.output)) throw cause;
      }
    }
    s.password = readFileSync(join(s.dir, 'demo-credentials'), 'utf8').match(/^manager \S+ (\S+)/m)[1];
    return s;
  }

  /** The settings of the server, and of commands beside it. */
  environment() {
    return {
      PATH: process.env.PATH,
      HOME: this.dir,
      ECF_ADDR: `127.0.0.1:${this.port}`,
      ECF_DATA_DIR: this.dir,
      ECF_LOG_LEVEL: 'warn',
    };
  }

  async run() {
    this.output = '';
    this.process = spawn(program, ['serve'], {
      env: {
        ...this.environment(),
        ECF_DEMO: 'true',
        ECF_AUTH_RATE_LIMIT: '1000/15m',
        ECF_WRITE_RATE_LIMIT: '100000/1m',
      },
    });
    for (const stream of [this.process.stdout, this.process.stderr]) stream.on('data', (d) => (this.output += d));
    const deadline = Date.now() + patience;
    for (;;) {
      const ready = await fetch(`${this.url}/health/ready`).then(
        (r) => r.ok,
        () => false,
      );
      if (ready) return;
      if (Date.now() > deadline || this.process.exitCode !== null)
        throw new Error(`the server does not start: ${this.output}`);
      await new Promise((r) => setTimeout(r, 200));
    }
  }

  /** Ends the program at once, as a crash would. */
  async kill() {
    const ended = new Promise((r) => this.process.once('exit', r));
    this.process.kill('SIGKILL');
    await ended;
  }

  async stop() {
    await this.kill();
    rmSync(this.dir, { recursive: true, force: true });
  }

  async signIn(who) {
    const response = await fetch(`${this.url}/api/v2/auth/login`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ email: `${who}@demo.test`, password: this.password }),
    });
    return (await response.json()).data.accessToken;
  }

  /** Calls the API as a program does. */
  async api(who, method, path, body, headers = {}) {
    this.tokens ??= {};
    this.tokens[who] ??= await this.signIn(who);
    const ask = () =>
      fetch(`${this.url}/api/v2${path}`, {
        method,
        headers: { Authorization: `Bearer ${this.tokens[who]}`, 'Content-Type': 'application/json', ...headers },
        ...(body ? { body: JSON.stringify(body) } : {}),
      });
    let response = await ask();
    if (response.status === 401) {
      // It has expired: flows take long on a slow machine.
      this.tokens[who] = await this.signIn(who);
      response = await ask();
    }
    const answer = await response.json();
    if (!response.ok) throw new Error(`${method} ${path}: ${JSON.stringify(answer)}`);
    return answer.data;
  }

  /** Makes the account of somebody who only reads, with the password of the others. */
  async viewer() {
    const made = await this.api('admin', 'POST', '/users', {
      email: 'viewer@demo.test',
      name: 'Demo viewer',
      role: 'viewer',
    });
    await this.setPassword(made.setupToken, this.password);
  }

  /** Makes an organization beside the demonstration's; returns the token that its first account is set up with. */
  organization(name, email) {
    const printed = execFileSync(program, ['bootstrap', '--name', name, '--plan', 'free', '--email', email], {
      env: this.environment(),
      encoding: 'utf8',
    });
    return printed.trim().split('#')[1];
  }

  /** Adds somebody who has an account to another organization. */
  join(organization, email, role) {
    execFileSync(program, ['user', 'join', '--org', organization, '--email', email, '--role', role], {
      env: this.environment(),
      stdio: 'pipe',
    });
  }

  /** Sets the password that a link of a new account is for; returns what the answer says. */
  async setPassword(setupToken, password, more = {}) {
    const response = await fetch(`${this.url}/api/v2/auth/setup`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ setupToken, password, ...more }),
    });
    if (!response.ok) throw new Error(await response.text());
    return (await response.json()).data;
  }

  /** Returns the id of the event that the demonstration begins with. */
  async example() {
    const { items } = await this.api('manager', 'GET', '/events?limit=100');
    return items.find((e) => e.title.startsWith('Example'))._id;
  }

  /** Makes a record that is approved, and waits until it counts. */
  async approved(event, fields = { from: 'LHR', to: 'JFK', passengers: 2 }, count = 1) {
    const { _id } = await this.api('user', 'POST', `/events/${event}/flights`, fields);
    await this.api('user', 'POST', `/events/${event}/flights/${_id}/submit`, {});
    await this.api('manager', 'POST', `/events/${event}/flights/${_id}/approve`, {});
    const deadline = Date.now() + patience;
    for (;;) {
      const r = await this.api('manager', 'GET', `/events/${event}/results`).catch(() => null);
      if (r?.status === 'current' && r.counts.approved >= count) return r;
      if (Date.now() > deadline) throw new Error('the record does not count');
      await new Promise((done) => setTimeout(done, 100));
    }
  }

  async event(title) {
    return (
      await this.api('manager', 'POST', '/events', {
        title,
        country: 'GB',
        startDate: '2026-09-01',
        endDate: '2026-09-02',
        attendees: 120,
      })
    )._id;
  }
}
