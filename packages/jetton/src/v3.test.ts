import { describe, expect, expectTypeOf, it } from 'vitest'
import { createJettonV3Client, FairleadError, type JettonBurn, type JettonNodeOptions, unwrap } from './v3.ts'

const address = 'EQB7NM_xT1_NNUbwpMxxr7tHl6nPpSQjvMN5Fje_nw1-vXMc'
const burn: JettonBurn = {
  jetton: { address, name: 'Tide Token', symbol: 'TIDE' },
  burner: { address: 'UQCPgyC_eyhT42pNqiF4c3DfbJN7KMtVvdSJvc00j452_FGj' },
  transaction: { hash: 'cJtVvT2g9ag4ElvQ7iDFv918q6FzkS1CgcroFreaIBs=', time: 1_772_979_600 },
  amount: '115792089237316195423570985008687907853269984665640564039457584007913129639935',
  comment: '',
}

function clientResponding(auth: JettonNodeOptions['auth'], respond: () => Response) {
  const sent: Request[] = []
  const fetch: typeof globalThis.fetch = (input, init) => {
    sent.push(new Request(input, init))
    return Promise.resolve(respond())
  }
  return { jetton: createJettonV3Client({ url: 'https://node.example.com/', auth, fetch, retries: 0 }), sent }
}

describe('the burns of a jetton', () => {
  it.each<[string, JettonNodeOptions['auth'], string]>([
    ['a token', { kind: 'token', token: 't0k3n' }, 'https://node.example.com/t0k3n/api/v3/jetton/burns'],
    [
      'basic credentials',
      { kind: 'basic', username: 'u', password: 'p' },
      'https://node.example.com/api/v3/jetton/burns',
    ],
  ])('are listed with %s at the specified path', async (_, auth, url) => {
    const { jetton, sent } = clientResponding(auth, () => Response.json({ burns: [burn] }))
    const query = { address, limit: 20, offset: 40, sort: 'asc' } as const
    const { burns } = await unwrap(jetton.GET('/api/v3/jetton/burns', { params: { query } }))
    expectTypeOf(burns).toEqualTypeOf<JettonBurn[]>()
    expect(burns).toEqual([burn])
    const { origin, pathname, searchParams } = new URL(sent[0]?.url ?? '')
    expect(origin + pathname).toBe(url)
    expect(Object.fromEntries(searchParams)).toEqual({ address, limit: '20', offset: '40', sort: 'asc' })
  })

  it('send no defaults', async () => {
    const { jetton, sent } = clientResponding({ kind: 'token', token: 't0k3n' }, () =>
      Response.json({ burns: [] }),
    )
    await jetton.GET('/api/v3/jetton/burns', { params: { query: { address } } })
    expect([...new URL(sent[0]?.url ?? '').searchParams.keys()]).toEqual(['address'])
  })

  it('throw the error message of the node if they cannot be listed', async () => {
    const { jetton } = clientResponding({ kind: 'token', token: 't0k3n' }, () =>
      Response.json({ error: 'bad address' }, { status: 422 }),
    )
    const call = unwrap(jetton.GET('/api/v3/jetton/burns', { params: { query: { address: 'x' } } }))
    const error: unknown = await call.catch((reason: unknown) => reason)
    expect(FairleadError.is(error, 'HTTP_STATUS') && error.details).toMatchObject({
      operation: 'GET /***/api/v3/jetton/burns',
      status: 422,
      detail: 'bad address',
    })
  })

  it('are typed, including the parameters', () => {
    const { jetton } = clientResponding({ kind: 'token', token: 't0k3n' }, () => Response.json({ burns: [] }))
    const calls = async () => {
      // @ts-expect-error the address is required
      await jetton.GET('/api/v3/jetton/burns', { params: { query: {} } })
      // @ts-expect-error no such direction
      await jetton.GET('/api/v3/jetton/burns', { params: { query: { address, sort: 'up' } } })
    }
    expectTypeOf(calls).toBeFunction()
    expectTypeOf<JettonBurn['amount']>().toBeString()
  })
})
