/** Text, or bytes where the name ends in `-bin`. */
export type MetadataValue = string | Uint8Array

/** Entries beside the messages of a call, by lower-case name; an entry may have several values. */
export type Metadata = Readonly<Record<string, MetadataValue | readonly MetadataValue[]>>
