import { describeAccount } from '../described-account.ts'
import { inContext, type Method } from '../method.ts'
import { invalid, readOptions, readPublicKey } from '../parameters.ts'
import { latestSlot } from './cluster.ts'

const maxKeys = 100

/** Methods about accounts. */
export const accountMethods: Readonly<Record<string, Method>> = {
  getBalance: (parameters, chain) => {
    const key = readPublicKey(parameters[0])
    return inContext(latestSlot(parameters, 1, chain), chain.account(key)?.lamports ?? 0n)
  },
  getAccountInfo: async (parameters, chain) => {
    const key = readPublicKey(parameters[0])
    const options = readOptions(parameters, 1)
    return inContext(latestSlot(parameters, 1, chain), await describeAccount(chain.account(key), options))
  },
  getMultipleAccounts: async (parameters, chain) => {
    const [keys] = parameters
    if (!Array.isArray(keys) || keys.length > maxKeys)
      throw invalid('pubkeys', `a list of at most ${maxKeys} public keys`)
    const options = readOptions(parameters, 1)
    const accounts = keys.map((key, index) => chain.account(readPublicKey(key, `pubkeys[${index}]`)))
    const slot = latestSlot(parameters, 1, chain)
    return inContext(slot, await Promise.all(accounts.map((account) => describeAccount(account, options))))
  },
}
