import { getAddressEncoder, type Address } from '@solana/kit'
import type { CompiledInstruction, Message } from '@fairlead/grpc/geyser'

/** Fee of each signature. */
export const lamportsPerSignature = 5_000n

const microLamports = 1_000_000n
const maxUnits = 1_400_000n
// Compute units of an instruction if the transaction sets no limit.
const unitsOfProgram = 200_000n
const unitsOfBuiltin = 3_000n

const compute = keyOf('ComputeBudget111111111111111111111111111111')
const setUnitLimit = 2
const setUnitPrice = 3

const verifiers = [
  'Ed25519SigVerify111111111111111111111111111',
  'KeccakSecp256k11111111111111111111111111111',
]
  .concat('Secp256r1SigVerify1111111111111111111111111')
  .map(keyOf)
const builtins = [
  compute,
  ...verifiers,
  ...[
    '11111111111111111111111111111111',
    'Vote111111111111111111111111111111111111111',
    'BPFLoader1111111111111111111111111111111111',
    'BPFLoader2111111111111111111111111111111111',
    'BPFLoaderUpgradeab1e11111111111111111111111',
    'LoaderV411111111111111111111111111111111111',
  ].map(keyOf),
]

/**
 * Computes the fee of a transaction: the fee of its signatures, including those that its instructions verify, and the
 * priority fee.
 *
 * @returns lamports
 */
export function feeOf(message: Message): bigint {
  const { header, instructions, accountKeys, config } = message
  const programOf = ({ programIdIndex }: CompiledInstruction) => accountKeys[programIdIndex] ?? compute
  const verified = instructions.filter((instruction) => includesKey(verifiers, programOf(instruction)))
  const signatures = verified.reduce(
    (sum, { data }) => sum + (data[0] ?? 0),
    header?.numRequiredSignatures ?? 0,
  )
  const base = BigInt(signatures) * lamportsPerSignature
  if (config !== undefined) return base + (config.priorityFee ?? 0n)

  const settings = instructions.filter((instruction) => compute.equals(programOf(instruction)))
  const price = readSetting(settings, setUnitPrice, 8) ?? 0n
  const limit =
    readSetting(settings, setUnitLimit, 4) ??
    instructions.reduce(
      (sum, instruction) =>
        sum + (includesKey(builtins, programOf(instruction)) ? unitsOfBuiltin : unitsOfProgram),
      0n,
    )
  const units = limit < maxUnits ? limit : maxUnits
  return base + (price * units + microLamports - 1n) / microLamports
}

function readSetting(
  settings: readonly CompiledInstruction[],
  kind: number,
  bytes: 4 | 8,
): bigint | undefined {
  const data = settings.find(
    (instruction) => instruction.data[0] === kind && instruction.data.length > bytes,
  )?.data
  if (data === undefined) return undefined
  const view = new DataView(data.buffer, data.byteOffset)
  return bytes === 4 ? BigInt(view.getUint32(1, true)) : view.getBigUint64(1, true)
}

function includesKey(keys: readonly Buffer[], key: Uint8Array): boolean {
  return keys.some((candidate) => candidate.equals(key))
}

function keyOf(text: string): Buffer {
  return Buffer.from(getAddressEncoder().encode(text as Address))
}
