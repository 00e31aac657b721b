import {
  beginCell,
  external,
  loadMessage,
  storeMessage,
  type Cell,
  type Transaction,
  type TransactionDescriptionGeneric,
} from '@ton/core'
import { MessageRefused, type JettonChain, type SentMessage } from '../../../chain/jetton-chain.ts'
import { writeHash } from '../../cells/hash.ts'
import { Failure } from '../../failure.ts'
import { isShallow } from '../engine-bounds.ts'
import { invalid, liteServerFailure } from '../failure.ts'
import { posting, type Method, type Methods } from '../method.ts'
import { address, boc, boolean, optionalBoc, withDefault, type Parameter } from '../parameters.ts'

// ExtMsgLimits of a TON node.
const maxBytes = 65_535

/** Rejects a value that is too long for a message before it is parsed: parsing a mebibyte of cells takes seconds. */
function bounded<value>(parameter: Parameter<value>): Parameter<value> {
  return {
    ...parameter,
    read(input, name) {
      const size = typeof input === 'string' ? Buffer.byteLength(input, 'base64') : 0
      if (size > maxBytes) throw rejection(`external message too large (${size} bytes), rejecting`)
      return parameter.read(input, name)
    },
  }
}

const message = { boc: bounded(boc) }

const sendBocReturnHash: Method = posting(message, async (chain, values) => {
  const { hash, hashNorm } = await send(chain, values.boc)
  return { '@type': 'raw.extMessageInfo', hash: writeHash(hash), hash_norm: writeHash(hashNorm) }
})

/** Methods that send messages or estimate their fees. */
export const sendMethods: Methods = {
  sendBoc: posting(message, async (chain, values) => {
    await send(chain, values.boc)
    return { '@type': 'ok' }
  }),
  sendBocReturnHash,
  sendBocReturnHashNoError: {
    ...sendBocReturnHash,
    async call(...request) {
      try {
        return await sendBocReturnHash.call(...request)
      } catch (error) {
        if (error instanceof Failure && error.code === 500) throw new Failure(400, error.message)
        throw error
      }
    },
  },
  estimateFee: posting(
    {
      address,
      body: bounded(boc),
      init_code: bounded(optionalBoc),
      init_data: bounded(optionalBoc),
      ignore_chksig: withDefault(boolean, true),
    },
    async (chain, values) => {
      const { init_code: code, init_data: data, body } = values
      if (body.isExotic) throw invalid('body should be an ordinary cell')
      const init = { code: code ?? null, data: data ?? null }
      const hasInit = code !== undefined || data !== undefined
      const query = external({ to: values.address, ...(hasInit && { init }), body })
      const root = requireShallow(beginCell().store(storeMessage(query)).endCell())
      const [source, ...following] = await rejectInvalid(() =>
        chain.emulate(root, { ignoreSignature: values.ignore_chksig }),
      )
      if (source === undefined) throw rejection('the message led to nothing')
      return {
        '@type': 'query.fees',
        source_fees: writeFees(source),
        destination_fees: following.filter((next) => isCausedBy(source, next)).map(writeFees),
      }
    },
  ),
}

async function send(chain: JettonChain, root: Cell): Promise<SentMessage> {
  requireShallow(root)
  if (!isExternal(root)) throw rejection('external message must begin with ext_in_msg_info$10')
  return rejectInvalid(() => chain.send(root))
}

function requireShallow(root: Cell): Cell {
  if (!isShallow(root)) throw rejection('external message is too deep')
  return root
}

function isExternal(root: Cell): boolean {
  try {
    return loadMessage(root.beginParse()).info.type === 'external-in'
  } catch {
    return false
  }
}

// Logical times increase along a trace, so messages of other accounts, and later messages of the account, follow its
// own messages.
function isCausedBy(source: Transaction, { inMessage }: Transaction): boolean {
  return (
    inMessage?.info.type === 'internal' &&
    inMessage.info.createdLt <= source.lt + BigInt(source.outMessagesCount)
  )
}

async function rejectInvalid<outcome>(execute: () => Promise<outcome>): Promise<outcome> {
  try {
    return await execute()
  } catch (error) {
    if (!(error instanceof MessageRefused)) throw error
    throw rejection(
      error.exitCode === undefined ? error.message : `${error.message} : exitcode=${error.exitCode}`,
    )
  }
}

function rejection(reason: string): Failure {
  return liteServerFailure(`cannot apply external message to current state : ${reason}`)
}

function writeFees({ description, totalFees }: Transaction): object {
  const phases: Partial<TransactionDescriptionGeneric> = description.type === 'generic' ? description : {}
  const storage = phases.storagePhase?.storageFeesCollected ?? 0n
  const gas = phases.computePhase?.type === 'vm' ? phases.computePhase.gasFees : 0n
  const actions = phases.actionPhase?.totalActionFees ?? 0n
  return {
    '@type': 'fees',
    // The remainder of all fees of the transaction is the import fee of the message itself.
    in_fwd_fee: Number(totalFees.coins - storage - gas - actions),
    storage_fee: Number(storage),
    gas_fee: Number(gas),
    fwd_fee: Number(phases.actionPhase?.totalFwdFees ?? 0n),
  }
}
