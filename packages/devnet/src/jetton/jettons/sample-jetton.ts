import { beginCell, Cell, contractAddress, type Address, type StateInit } from '@ton/core'
import { jettonMinterCode, jettonWalletCode } from '../generated/sample-jetton.ts'
import type { JettonContent } from '../chain/jetton-chain.ts'
import { writeJettonContent } from './jetton-content.ts'
import { jettonOperations } from './jetton-messages.ts'

const minterCode = Cell.fromBase64(jettonMinterCode)
const walletCode = Cell.fromBase64(jettonWalletCode)
const mint = 0x642b7d07

/**
 * Returns the initial state of the master contract of the sample jetton.
 *
 * @param admin The account that may mint.
 * @param content On-chain content (TEP-64).
 */
export function minterInit(admin: Address, content: JettonContent): StateInit {
  const data = beginCell()
    .storeCoins(0)
    .storeAddress(admin)
    .storeAddress(null)
    .storeRef(walletCode)
    .storeRef(writeJettonContent(content))
    .endCell()
  return { code: minterCode, data }
}

/** Computes the address of an owner's wallet, like the master contract of the sample jetton. */
export function walletOf(master: Address, owner: Address): Address {
  const data = beginCell().storeCoins(0).storeAddress(owner).storeAddress(master).endCell()
  return contractAddress(0, { code: walletCode, data })
}

/**
 * Creates the message of the admin that mints jettons.
 *
 * @param value Nanocoins that are sent with them, for the fees of the new wallet.
 */
export function mintBody(receiver: Address, amount: bigint, value: bigint): Cell {
  const message = beginCell()
    .storeUint(jettonOperations.internalTransfer, 32)
    .storeUint(0, 64)
    .storeCoins(amount)
    .storeAddress(null)
    .storeAddress(receiver)
    .storeCoins(0)
    .storeBit(false)
    .endCell()
  return beginCell()
    .storeUint(mint, 32)
    .storeUint(0, 64)
    .storeAddress(receiver)
    .storeCoins(value)
    .storeRef(message)
    .endCell()
}

/** Creates the message of an owner that transfers jettons (`transfer` of TEP-74); the remaining coins are returned. */
export function transferBody(owner: Address, destination: Address, amount: bigint, forwardAmount = 0n): Cell {
  return beginCell()
    .storeUint(jettonOperations.transfer, 32)
    .storeUint(0, 64)
    .storeCoins(amount)
    .storeAddress(destination)
    .storeAddress(owner)
    .storeMaybeRef(null)
    .storeCoins(forwardAmount)
    .storeBit(false)
    .endCell()
}

/** Creates the message of an owner that burns jettons (`burn` of TEP-74); the remaining coins are returned. */
export function burnBody(owner: Address, amount: bigint, customPayload: Cell | null): Cell {
  return beginCell()
    .storeUint(jettonOperations.burn, 32)
    .storeUint(0, 64)
    .storeCoins(amount)
    .storeAddress(owner)
    .storeMaybeRef(customPayload)
    .endCell()
}

/** Serializes a comment as a payload: a zero operation code, then UTF-8 text over as many cells as needed. */
export function commentPayload(text: string): Cell {
  return beginCell().storeUint(0, 32).storeStringTail(text).endCell()
}
