import { type RequestHandler, type HttpServer, sendJson, startHttpServer } from '@fairlead/vitest/http-server'
import type { JettonBurn } from '../../v3.ts'

/** A server whose list of burns the test extends. */
export interface BurnServer extends HttpServer {
  /** Adds burns at the given seconds. Burns of the same second are inserted at any position among each other. */
  burn(...times: number[]): JettonBurn[]
  /** Overrides the response to the next request. */
  interrupt(handler: RequestHandler | undefined): void
}

const address = 'EQB7NM_xT1_NNUbwpMxxr7tHl6nPpSQjvMN5Fje_nw1-vXMc'

export async function startBurnServer(): Promise<BurnServer> {
  const listed: JettonBurn[] = []
  const interruptions: RequestHandler[] = []
  const server = await startHttpServer((request, response, count) => {
    const interruption = interruptions.shift()
    if (interruption) return interruption(request, response, count)
    const query = new URL(request.url, 'http://node').searchParams
    const bound = (name: string, standard: number) => Number(query.get(name) ?? standard)
    const found = listed
      .filter(
        ({ transaction: { time } }) =>
          time >= bound('start_utime', 0) && time <= bound('end_utime', Infinity),
      )
      .toSorted((a, b) => a.transaction.time - b.transaction.time || compare(a, b))
    if (query.get('sort') !== 'asc') found.reverse()
    const offset = bound('offset', 0)
    sendJson(response, { burns: found.slice(offset, offset + bound('limit', 128)) })
  })
  return {
    ...server,
    burn(...times) {
      const burns = times.map((time) => burnAt(time, listed.length + times.length))
      listed.push(...burns)
      return burns
    },
    interrupt(handler) {
      if (handler) interruptions.push(handler)
    },
  }
}

let made = 0

function burnAt(time: number, amount: number): JettonBurn {
  // Hashes without an order.
  const hash = Buffer.alloc(32, (++made * 2_654_435_761) % 4_294_967_296).toString('base64')
  return {
    jetton: { address, name: 'Tide Token', symbol: 'TIDE' },
    burner: { address: 'UQCPgyC_eyhT42pNqiF4c3DfbJN7KMtVvdSJvc00j452_FGj' },
    transaction: { hash: `${made}-${hash}`, time },
    amount: String(amount),
    comment: '',
  }
}

function compare(a: JettonBurn, b: JettonBurn): number {
  return a.transaction.hash < b.transaction.hash ? -1 : 1
}
