import type { LightMyRequestResponse } from 'fastify'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type PlatformFixture, platformFixture } from '../../testing/platform-fixture.ts'
import { type TemporaryDatabase, backends } from '../../testing/temporary-store.ts'

function code(response: LightMyRequestResponse): string {
  return response.json<{ error: { code: string } }>().error.code
}

describe.each(backends)('POST /v2/projects/ on $name', ({ create }) => {
  let database: TemporaryDatabase
  let fixture: PlatformFixture
  beforeAll(async () => {
    database = await create()
    fixture = await platformFixture(database)
  }, 60_000)
  afterAll(async () => {
    await fixture.app.close()
    await database.remove()
  })

  const post = (payload: unknown, headers: Record<string, string> = {}) =>
    fixture.call('/v2/projects/', {
      method: 'POST',
      payload: typeof payload === 'string' ? payload : JSON.stringify(payload),
      headers: { 'content-type': 'application/json', ...headers },
    })

  it('creates a project that appears in the list', async () => {
    const response = await post({ name: 'Harbour', description: 'Nodes', type: 'public' })
    expect(response.statusCode).toBe(201)
    const project = response.json<{ id: string; created_at: string }>()
    expect(project).toMatchObject({
      name: 'Harbour',
      description: 'Nodes',
      type: 'public',
      members: 1,
      networks: 0,
    })
    expect(project.id).toMatch(/^PR-\d{3}-\d{3}-\d{3}$/)
    expect(Math.abs(Date.parse(project.created_at) - Date.now())).toBeLessThan(10_000)
    const { results } = (await fixture.call('/v2/projects/?name=Harbour')).json<{ results: unknown[] }>()
    expect(results).toEqual([project])
  })

  it('fills in defaults and ignores read-only fields', async () => {
    const response = await post({
      name: 'Short',
      id: 'PR-1',
      members: 99,
      creator: 7,
      created_at: 'x',
      colour: [],
    })
    expect(response.json()).toMatchObject({ name: 'Short', description: '', type: 'public', members: 1 })
    expect(response.json<{ id: string }>().id).not.toBe('PR-1')
  })

  it('keeps names unchanged, up to 100 characters of any kind', async () => {
    for (const name of [' padded ', '😀'.repeat(100), "Robert'); drop table projects; --", 'İ'.repeat(100)]) {
      const response = await post({ name })
      expect(response.statusCode).toBe(201)
      expect(response.json<{ name: string }>().name).toBe(name)
    }
  })

  it('ignores keys that would pollute prototypes', async () => {
    const response = await post('{"name":"p","__proto__":{"type":"private"},"constructor":{"prototype":{}}}')
    expect(response.statusCode).toBe(201)
  })

  it.each([
    [{}, { name: ['This field is required.'] }],
    [{ name: 5 }, { name: ['Must be a string, not a number.'] }],
    [{ name: null }, { name: ['Must be a string, not null.'] }],
    [{ name: '' }, { name: ['Must be a string of at least 1 character.'] }],
    [{ name: 'x'.repeat(101) }, { name: ['Must be a string of at most 100 characters.'] }],
    [{ name: 'x', description: ['x'] }, { description: ['Must be a string, not an array.'] }],
    [{ name: 'x', type: 'private' }, { type: ['Must be one of: public.'] }],
    [{ name: 'a\0b' }, { name: ['Must not contain the character U+0000 or an unpaired surrogate.'] }],
    ['{"name":"\\ud800"}', { name: ['Must not contain the character U+0000 or an unpaired surrogate.'] }],
    [[], { non_field_errors: ['Must be an object, not an array.'] }],
    ['null', { non_field_errors: ['Must be an object, not null.'] }],
    ['"name"', { non_field_errors: ['Must be an object, not a string.'] }],
  ])('rejects %j', async (payload, fields) => {
    const response = await post(payload)
    expect(response.statusCode).toBe(400)
    expect(response.json()).toEqual({
      error: { code: 'invalid', message: 'Invalid input.', fields, request_id: expect.any(String) },
    })
  })

  it('never echoes the request body', async () => {
    const response = await post({ name: ['canary-77'], type: 'canary-78', 'canary-79': 'canary-80' })
    expect(response.statusCode).toBe(400)
    expect(response.body).not.toContain('canary')
    expect((await post('{"name": canary-81')).body).not.toContain('canary')
    expect(fixture.log()).not.toContain('canary')
  })

  it('rejects a body that is not JSON, is missing, has another media type or is too long', async () => {
    const broken = await post('{"name"')
    expect([broken.statusCode, code(broken)]).toEqual([400, 'parse_error'])
    const empty = await post('')
    expect([empty.statusCode, code(empty)]).toEqual([400, 'parse_error'])
    const none = await fixture.call('/v2/projects/', { method: 'POST' })
    expect([none.statusCode, code(none)]).toEqual([400, 'parse_error'])
    for (const type of [
      'text/plain',
      'application/x-www-form-urlencoded',
      'multipart/form-data',
      'text/json',
    ]) {
      const other = await post('{"name":"x"}', { 'content-type': type })
      expect([other.statusCode, code(other)]).toEqual([415, 'unsupported_media_type'])
    }
    const long = await post({ name: 'x', description: 'y'.repeat(1024 * 1024) })
    expect([long.statusCode, code(long)]).toEqual([413, 'payload_too_large'])
    expect(
      (await post('{"name":"charset"}', { 'content-type': 'application/json; charset=utf-8' })).statusCode,
    ).toBe(201)
  })

  it('accepts 64 levels of objects and arrays, and rejects more before it parses them', async () => {
    const nested = (levels: number) =>
      `{"name":"nested","extra":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}}`
    expect((await post(nested(64))).statusCode).toBe(201)
    const fields = { non_field_errors: ['Must have at most 64 levels of objects and arrays.'] }
    // Only the first body is JSON.
    for (const body of [nested(65), '['.repeat(65), '{"a":'.repeat(200_000), '['.repeat(1024 * 1024)]) {
      const response = await post(body)
      expect(response.statusCode).toBe(400)
      expect(response.json()).toMatchObject({ error: { code: 'invalid', fields } })
    }
  })

  it('authenticates before it reads a body', async () => {
    const response = await fixture.anonymous('/v2/projects/', {
      method: 'POST',
      payload: 'x'.repeat(2_000_000),
    })
    expect(response.statusCode).toBe(401)
  })
})
