import { Object as SuiObject, Owner_OwnerKind } from '@fairlead/grpc/sui'
import { bcs } from '@mysten/sui/bcs'
import { deriveDynamicFieldID, normalizeStructTag, toBase58, toHex } from '@mysten/sui/utils'
import { createHash } from 'node:crypto'

export const suiType = normalizeStructTag('0x2::sui::SUI')
export const coinType = normalizeStructTag('0x2::coin::Coin<0x2::sui::SUI>')

const CoinContents = bcs.struct('Coin', { id: bcs.Address, balance: bcs.u64() })
const FieldContents = bcs.struct('Field', { id: bcs.Address, name: bcs.u64(), value: bcs.u64() })

type Parts = readonly (Uint8Array | string | bigint | number)[]

/** A base58 digest derived from its parts. */
export const digestOf = (...parts: Parts): string => toBase58(hash(parts))

/** An object id derived from its parts. */
export const idOf = (...parts: Parts): string => `0x${toHex(hash(parts))}`

function hash(parts: Parts): Buffer {
  const sum = createHash('sha256')
  for (const part of parts) sum.update(typeof part === 'object' ? part : `${part};`)
  return sum.digest()
}

/** The properties of a coin. */
export interface Coin {
  readonly id: string
  readonly owner: string
  readonly balance: bigint
  readonly version: bigint
  readonly transaction: string
}

/** A SUI coin as a node returns it. */
export function coinObject({ id, owner, balance, version, transaction }: Coin): SuiObject {
  const value = CoinContents.serialize({ id, balance }).toBytes()
  return SuiObject.fromPartial({
    objectId: id,
    version,
    digest: digestOf(value, version),
    owner: { kind: Owner_OwnerKind.ADDRESS, address: owner },
    objectType: coinType,
    hasPublicTransfer: true,
    contents: { name: coinType, value },
    previousTransaction: transaction,
    storageRebate: 988_000n,
    json: { id, balance: `${balance}` },
    balance,
  })
}

/** A dynamic field with numeric name and value, as a node returns it. */
export function fieldObject(parent: string, name: bigint, value: bigint): SuiObject {
  const id = deriveDynamicFieldID(parent, 'u64', bcs.u64().serialize(name).toBytes())
  const contents = FieldContents.serialize({ id, name, value }).toBytes()
  const objectType = normalizeStructTag('0x2::dynamic_field::Field<u64,u64>')
  return SuiObject.fromPartial({
    objectId: id,
    version: 1n,
    digest: digestOf(contents),
    owner: { kind: Owner_OwnerKind.OBJECT, address: parent },
    objectType,
    contents: { name: objectType, value: contents },
    previousTransaction: digestOf('genesis'),
  })
}
