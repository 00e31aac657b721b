import type { Address } from '@ton/core'
import type { FastifyInstance } from 'fastify'
import type { JettonChain } from '../chain/jetton-chain.ts'
import { readAddress } from './cells/address.ts'

const nanocoins = 1_000_000_000n
const usualAmount = 10n * nanocoins
const maxAmount = 1_000_000n * nanocoins

/**
 * Serves `POST /faucet`, which sends coins to the requested account.
 *
 * The body has an `address` in any form, and may have an `amount` in nanocoins as a decimal string.
 */
export function registerFaucet(server: FastifyInstance, chain: JettonChain): void {
  server.post('/faucet', async (request, reply) => {
    const { address, amount } = (request.body ?? {}) as { address?: unknown; amount?: unknown }
    const to = readAccount(address)
    if (to === undefined) {
      return reply.code(422).send(failure('address must be an address in the masterchain or the base chain'))
    }
    const value = readAmount(amount)
    if (value === undefined) {
      return reply
        .code(422)
        .send(failure(`amount must be a string of decimal digits from 1 to ${maxAmount}, in nanocoins`))
    }
    const { id } = await chain.fund(to, value)
    return {
      ok: true,
      result: { address: to.toString(), amount: `${value}`, trace_id: id.toString('base64') },
    }
  })
}

// Coins for any other workchain would be lost: this network has only these workchains.
function readAccount(value: unknown): Address | undefined {
  const address = typeof value === 'string' ? readAddress(value)?.address : undefined
  return address?.workChain === 0 || address?.workChain === -1 ? address : undefined
}

function readAmount(amount: unknown): bigint | undefined {
  if (amount === undefined) return usualAmount
  if (typeof amount !== 'string' || !/^[0-9]{1,16}$/.test(amount)) return undefined
  const value = BigInt(amount)
  return value >= 1n && value <= maxAmount ? value : undefined
}

function failure(error: string) {
  return { ok: false, error, code: 422 }
}
