import { writeRawAddress } from '../../cells/address.ts'
import type { Context } from '../operation.ts'
import { addressBookRow, type AddressBookRow } from './address-book.ts'
import { tokenMetadata, type Metadata } from './token-metadata.ts'

/**
 * Formats the address book of a response, or an empty one if the request does not want any.
 *
 * @param accounts addresses in raw form that the response names
 */
export async function addressBook(
  { chain, withAddressBook }: Context,
  accounts: Iterable<string | null | undefined>,
): Promise<Record<string, AddressBookRow>> {
  if (!withAddressBook) return {}
  const rows = named(accounts).map(
    async (account) => [writeRawAddress(account), await addressBookRow(chain, account)] as const,
  )
  return Object.fromEntries(await Promise.all(rows))
}

/** Formats the objects that accompany a list: the address book and the token metadata, if the request wants them. */
export async function directory(
  context: Context,
  accounts: Iterable<string | null | undefined>,
): Promise<{ address_book: Record<string, AddressBookRow>; metadata: Metadata }> {
  const raw = named(accounts)
  return {
    address_book: await addressBook(context, raw),
    metadata: context.withMetadata ? tokenMetadata(context.chain.index, raw) : {},
  }
}

function named(accounts: Iterable<string | null | undefined>): string[] {
  const raw = new Set<string>()
  for (const account of accounts) if (typeof account === 'string') raw.add(account.toLowerCase())
  return [...raw]
}
