import { beginCell, type Address, type Cell, type TupleItem } from '@ton/core'
import type { JettonChain } from '../../chain/jetton-chain.ts'
import { readJettonContent } from '../../jettons/jetton-content.ts'
import { writeBoc } from '../cells/bag-of-cells.ts'
import { Failure } from '../failure.ts'

// Layout of TEP-64.
const offChain = 0x01

/**
 * Calls the get methods that identify a jetton contract: a master, or a wallet whose master confirms it (TEP-74).
 *
 * @param address The contract.
 * @returns `ext.tokens.jettonMasterData` or `ext.tokens.jettonWalletData` of the API.
 * @throws {@link Failure} with 409 for any other contract.
 */
export async function readTokenData(chain: JettonChain, address: Address): Promise<object> {
  const data = (await readMaster(chain, address)) ?? (await readWallet(chain, address))
  if (data === undefined) throw new Failure(409, `Smart contract ${address.toString()} is not Jetton or NFT`)
  return data
}

async function readMaster(chain: JettonChain, address: Address): Promise<object | undefined> {
  const [supply, mintable, admin, content, code] = await run(chain, address, 'get_jetton_data')
  if (supply?.type !== 'int' || mintable?.type !== 'int') return undefined
  if (content?.type !== 'cell' || code?.type !== 'cell') return undefined
  const adminAddress = readAddress(admin)
  return {
    '@type': 'ext.tokens.jettonMasterData',
    address: address.toString(),
    contract_type: 'jetton_master',
    total_supply: `${supply.value}`,
    mintable: mintable.value !== 0n,
    ...(adminAddress !== undefined && { admin_address: adminAddress.toString() }),
    jetton_content: writeContent(content.cell),
    jetton_wallet_code: writeBoc(code.cell),
  }
}

async function readWallet(chain: JettonChain, address: Address): Promise<object | undefined> {
  const [balance, ownerSlice, masterSlice, code] = await run(chain, address, 'get_wallet_data')
  const [owner, master] = [readAddress(ownerSlice), readAddress(masterSlice)]
  if (balance?.type !== 'int' || code?.type !== 'cell' || owner === undefined || master === undefined) {
    return undefined
  }
  const [confirmed] = await run(chain, master, 'get_wallet_address', [
    { type: 'slice', cell: beginCell().storeAddress(owner).endCell() },
  ])
  if (readAddress(confirmed)?.equals(address) !== true) return undefined
  const [isClaimed, ...others] = await run(chain, address, 'is_claimed')
  return {
    '@type': 'ext.tokens.jettonWalletData',
    address: address.toString(),
    contract_type: 'jetton_wallet',
    balance: `${balance.value}`,
    owner: owner.toString(),
    jetton: master.toString(),
    ...(isClaimed?.type === 'int' && others.length === 0 && { mintless_is_claimed: isClaimed.value !== 0n }),
    jetton_wallet_code: writeBoc(code.cell),
  }
}

function writeContent(cell: Cell): object {
  const data = readJettonContent(cell)
  const isOffChain = !cell.isExotic && cell.bits.length >= 8 && cell.beginParse().loadUint(8) === offChain
  return isOffChain ? { type: 'offchain', data: data['uri'] ?? '' } : { type: 'onchain', data }
}

// A contract without the method ends it with an exit code, and so returns no stack.
async function run(
  chain: JettonChain,
  address: Address,
  method: string,
  stack: readonly TupleItem[] = [],
): Promise<readonly TupleItem[]> {
  const outcome = await chain.runGetMethod(address, method, stack)
  return outcome.exitCode === 0 ? outcome.stack : []
}

function readAddress(item: TupleItem | undefined): Address | undefined {
  if (item?.type !== 'slice' && item?.type !== 'cell') return undefined
  try {
    return item.cell.beginParse().loadMaybeAddress() ?? undefined
  } catch {
    return undefined
  }
}
