// Answers as the server could give them as well, by its document: with what is required only, without items, and with
// long texts, many items and values that are not known yet.

/** Whether the description of a text says that it may get further values, beside the codes, which may always. */
const isOpen = (name, { description = '', type }) =>
  type === 'string' && (name === 'code' || /more may be added/i.test(description));

/** Whether a text is for people: one with words, or in a field for them. Others are ids, codes, dates and addresses. */
const isForPeople = (name, value) =>
  /\s/.test(value) || ['name', 'title', 'email', 'filename', 'comment'].includes(name);

const typesOf = (schema) => [schema.type ?? []].flat();

/** Asks the server, also where the page has an answer that is still right. */
export async function fetchAnew(route, url = route.request().url()) {
  const { 'if-none-match': _, ...headers } = route.request().headers();
  // It answers pages of its own only, and the browser says so to nobody but the server.
  return route.fetch({ url, headers: { ...headers, 'Sec-Fetch-Site': 'same-origin' } });
}

export class Answers {
  /** What the routes have varied: a page that asks for nothing would show nothing. */
  varied = new Set();

  /** The ids of the items that were added, with those of the items that they are like. */
  likes = new Map();

  constructor(document) {
    this.document = document;
    this.paths = Object.entries(document.paths).map(([path, operations]) => ({
      path,
      operations,
      // A segment that is written out is matched before a parameter.
      parameters: path.split('{').length,
      pattern: new RegExp(`^${path.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+')}$`),
    }));
    this.paths.sort((a, b) => a.parameters - b.parameters);
  }

  static async of(server) {
    return new Answers(await (await fetch(`${server.url}/api/v2/openapi.json`)).json());
  }

  /** Has a page get other answers than the server gives. */
  async route(page, how) {
    await page.route('**/session/api/**', async (route) => {
      const request = route.request();
      if (request.resourceType() !== 'fetch') return route.continue(); // the report in its frame
      const response = await fetchAnew(
        route,
        request.url().replaceAll(/[a-z0-9]{26}/g, (id) => this.likes.get(id) ?? id),
      );
      const path = new URL(request.url()).pathname.replace('/session/api', '');
      const schema = this.schemaOf(request.method(), path, response.status());
      if (!schema || !response.ok()) return route.fulfill({ response });
      this.varied.add(`${request.method()} ${path}`);
      const headers = response.headers();
      delete headers.etag; // no later answer is said to be the same as this one
      return route.fulfill({ response, headers, json: this.vary(schema, await response.json(), how) });
    });
  }

  schemaOf(method, path, status) {
    const operation = this.paths.find((p) => p.pattern.test(path))?.operations[method.toLowerCase()];
    return this.resolve(operation?.responses[status])?.content?.['application/json']?.schema;
  }

  resolve(schema) {
    if (!schema?.$ref) return schema;
    const { $ref, ...beside } = schema;
    const target = $ref
      .slice(2)
      .split('/')
      .reduce((at, key) => at[key], this.document);
    return { ...this.resolve(target), ...beside };
  }

  /** Returns a schema without references and alternatives: of those the one that a value is of, by the properties that it has. */
  flat(schema, value) {
    const { allOf = [], anyOf, oneOf, ...own } = this.resolve(schema ?? {});
    const known = (s) => {
      const { properties = {}, type } = this.flat(s, value);
      const is = value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value;
      if (type && ![type].flat().some((t) => t === is || (is === 'number' && t === 'integer'))) return -1;
      return Object.keys(value ?? {}).filter((name) => name in properties).length;
    };
    const alternatives = anyOf ?? oneOf ?? [];
    const [chosen] = [...alternatives].sort((a, b) => known(b) - known(a));
    const all = { ...own, required: own.required ?? [], properties: own.properties ?? {} };
    for (const part of chosen ? [...allOf, chosen] : allOf) {
      const { required, properties, ...rest } = this.flat(part, value);
      Object.assign(all, rest, {
        required: [...all.required, ...required],
        properties: { ...all.properties, ...properties },
      });
    }
    if (alternatives.some((s) => typesOf(this.resolve(s)).includes('null'))) all.nullable = true;
    if (typesOf(all).includes('null')) all.nullable = true;
    return all;
  }

  /**
   * Returns another value of a schema. Of 'least' it has what is required and empty lists, of 'sparse' what is required
   * and the items of lists, of 'most' all, with long texts, many items and values that are not known yet.
   */
  vary(schema, value, how, name = '') {
    if (value === null) return null;
    const of = this.flat(schema, value);
    if (how !== 'most' && of.nullable) return null;
    if (Array.isArray(value)) return this.list(of, value, how, name);
    if (typeof value === 'object') return this.object(of, value, how);
    return how === 'most' && typeof value === 'string' ? text(of, value, name) : value;
  }

  list(of, value, how, name) {
    let items = how === 'least' ? value.slice(0, of.minItems ?? 0) : value;
    const [first] = items;
    if (how === 'most' && first?._id) {
      // By chance one has an id that the items which are added would get.
      const taken = new Set(items.map((item) => item._id));
      for (let n = 0; items.length < Math.min(of.maxItems ?? 60, 60); n++) {
        const _id = first._id.slice(0, -2) + String(n).padStart(2, '0');
        if (taken.has(_id)) continue;
        this.likes.set(_id, first._id);
        items = [...items, { ...first, _id }];
      }
    }
    return items.map((item) => this.vary(of.items, item, how, name));
  }

  object(of, value, how) {
    // A page number and how many there are belong to the request.
    if (of.required.includes('totalPages')) return value;
    const other = {};
    for (const [key, v] of Object.entries(value))
      if (how === 'most' || of.required.includes(key))
        other[key] = this.vary(of.properties[key] ?? of.additionalProperties, v, how, key);
    return other;
  }
}

const long = 'מזרחWWWWWWWWWW';

function text(of, value, name) {
  if (isOpen(name, of)) return name === 'code' ? 'NOT_KNOWN_YET' : 'not.known-yet';
  if (of.enum || of.const || of.format || of.pattern || !isForPeople(name, value)) return value;
  return long.repeat(30).slice(0, Math.min(of.maxLength ?? 300, 300));
}
