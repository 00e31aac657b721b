import {
  AccountRole,
  address,
  getProgramDerivedAddress,
  type Address,
  type Instruction,
  type KeyPairSigner,
} from '@solana/kit'
import { getCreateAccountInstruction } from '@solana-program/system'
import { keyOf } from './solana.ts'

/** The program that deploys programs. */
export const loader = address('BPFLoaderUpgradeab1e11111111111111111111111')

const rent = 'SysvarRent111111111111111111111111111111111'
const clock = 'SysvarC1ock11111111111111111111111111111111'
const writable = (key: Address) => ({ address: key, role: AccountRole.WRITABLE })
const readable = (key: string) => ({ address: address(key), role: AccountRole.READONLY })
const signing = (signer: KeyPairSigner) => ({ address: signer.address, role: AccountRole.WRITABLE_SIGNER })

/** Returns the account that contains the code of a program. */
export async function codeAccountOf(program: Address): Promise<Address> {
  const [account] = await getProgramDerivedAddress({ programAddress: loader, seeds: [keyOf(program)] })
  return account
}

/** Creates the transactions that write code into a buffer. */
export function upload(
  code: Uint8Array,
  payer: KeyPairSigner,
  buffer: KeyPairSigner,
  rentOf: (bytes: bigint) => bigint,
): Instruction[][] {
  const chunks: Instruction[][] = []
  for (let offset = 0; offset < code.length; offset += 800) {
    const chunk = code.subarray(offset, offset + 800)
    const head = Buffer.alloc(16)
    head.writeUInt32LE(1)
    head.writeUInt32LE(offset, 4)
    head.writeUInt32LE(chunk.length, 8)
    chunks.push([call(Buffer.concat([head, chunk]), writable(buffer.address), signing(payer))])
  }
  const space = BigInt(code.length) + 37n
  const initialize = call(Buffer.alloc(4), writable(buffer.address), signing(payer))
  return [[create(payer, buffer, space, rentOf(space)), initialize], ...chunks]
}

/** Deploys the code of a buffer as a program. */
export async function deploy(
  codeBytes: number,
  payer: KeyPairSigner,
  program: KeyPairSigner,
  buffer: KeyPairSigner,
  rentOf: (bytes: bigint) => bigint,
): Promise<Instruction[]> {
  const data = Buffer.alloc(12)
  data.writeUInt32LE(2)
  data.writeBigUInt64LE(BigInt(codeBytes), 4)
  const accounts = [
    signing(payer),
    writable(await codeAccountOf(program.address)),
    writable(program.address),
    writable(buffer.address),
    readable(rent),
    readable(clock),
    readable('11111111111111111111111111111111'),
    signing(payer),
  ]
  return [create(payer, program, 36n, rentOf(36n)), call(data, ...accounts)]
}

/** Replaces the code of a program by that of a buffer. */
export async function upgrade(program: Address, payer: KeyPairSigner, buffer: Address): Promise<Instruction> {
  const accounts = [await codeAccountOf(program), program, buffer, payer.address].map(writable)
  return call(Uint8Array.of(3, 0, 0, 0), ...accounts, readable(rent), readable(clock), signing(payer))
}

/** Removes the code of a program permanently. */
export async function close(program: Address, payer: KeyPairSigner): Promise<Instruction> {
  const [code, receiver] = [writable(await codeAccountOf(program)), writable(payer.address)]
  return call(Uint8Array.of(5, 0, 0, 0), code, receiver, signing(payer), writable(program))
}

function create(
  payer: KeyPairSigner,
  newAccount: KeyPairSigner,
  space: bigint,
  lamports: bigint,
): Instruction {
  return getCreateAccountInstruction({ payer, newAccount, space, lamports, programAddress: loader })
}

function call(data: Uint8Array, ...accounts: NonNullable<Instruction['accounts']>[number][]): Instruction {
  return { programAddress: loader, data, accounts }
}
