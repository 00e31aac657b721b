import { describe, expect, it } from 'vitest'
import { FairleadError } from './error.ts'
import { createRestFetch, unwrap } from './rest.ts'

const base = 'https://n.example/s3cr3t'
const answering = (answer: () => Response) =>
  createRestFetch({ fetch: async () => answer(), retries: 0 }, ['s3cr3t'])

async function failure(body: unknown, status = 404): Promise<unknown> {
  const rest = answering(() => Response.json(body, { status, headers: { 'x-request-id': 'r1' } }))
  const response = await rest(new Request(`${base}/eth/v1/x?token=s3cr3t`))
  return unwrap(Promise.resolve({ error: body, response })).catch((error: unknown) => error)
}

describe('unwrap', () => {
  it('gives the data of an answer', async () => {
    const response = await answering(() => Response.json({ id: 1 }))(new Request(`${base}/x`))
    expect(await unwrap(Promise.resolve({ data: { id: 1 }, response }))).toEqual({ id: 1 })
  })

  it.each([
    [{ error: { code: 'not_found', message: 'Invalid page.' } }, 'Invalid page.'],
    [{ code: 404, message: 'No such block.' }, 'No such block.'],
    [{ ok: false, error: 'bad address', code: 422 }, 'bad address'],
    ['plain words', 'plain words'],
    [{ error: { message: 'the path /s3cr3t/x is unknown' } }, 'the path /***/x is unknown'],
  ])('names operation, status and the words of %o', async (body, detail) => {
    const error = await failure(body)
    expect(FairleadError.is(error, 'HTTP_STATUS') && error.details).toEqual({
      operation: 'GET /***/eth/v1/x',
      status: 404,
      detail,
      requestId: 'r1',
    })
  })

  it('takes a good answer that is not JSON for a broken one, without quoting it', async () => {
    const call = Promise.reject(new SyntaxError('Unexpected token s, "s3cr3t" is not valid JSON'))
    const error: unknown = await unwrap(call).catch((reason: unknown) => reason)
    expect(FairleadError.is(error, 'DECODE_INVALID') && error.details.path).toBe('$')
    expect(String(error)).not.toContain('s3cr3t')
  })

  it('takes a secret out before it shortens the words of an answer', async () => {
    const error = await failure({ message: `${'x'.repeat(296)} s3cr3t` })
    expect(String(error)).not.toContain('s3c')
  })

  it('returns a response without a body unchanged', async () => {
    const response = await answering(() => new Response(null, { status: 204 }))(new Request(`${base}/x`))
    expect(response.status).toBe(204)
  })
})
