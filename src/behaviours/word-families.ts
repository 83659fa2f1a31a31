/** Words that point at the same thing ("charged", "invoice", "billing"), for answers that should fit a text. A table, nothing more. */
import { stemOf } from './words.ts'

export interface Family {
  readonly stems: ReadonlySet<string>
  /** The place of the family that says the contrary. */
  readonly contrary?: number
}

const family = (words: string, contrary?: number): Family => ({ stems: new Set(words.split(' ').map(stemOf)), ...(contrary === undefined ? {} : { contrary }) })

/** The families; a word may belong to several. */
export const families: readonly Family[] = [
  family('positive praise compliment good great excellent love amazing awesome fantastic wonderful perfect happy satisfied pleased delighted enjoy best recommend thanks thank grateful brilliant helpful beautiful glad nice friendly', 1),
  family('negative complaint complain criticism bad terrible awful hate horrible worst angry anger upset furious mad disappointed disappointing frustrated frustrating unhappy dissatisfied annoyed annoying poor useless unacceptable disgusting rude sad', 0),
  family('urgent urgently urgency asap immediately immediate emergency critical deadline quickly priority hurry'),
  family('billing bill invoice charge payment pay paid price subscription card fee overcharged refund reimburse reimbursement money'),
  family('technical technology bug error crash broken login install software password website server load fail failure outage'),
  family('account login password username profile signup register'),
  family('shipping shipment ship delivery deliver package parcel arrive arrival courier tracking'),
  family('exchange replace replacement swap'),
  family('cancel cancellation unsubscribe terminate'),
  family('sales sale buy purchase quote demo pricing order'),
  family('spam prize winner lottery giveaway congratulations unsolicited phishing scam'),
  family('toxic abusive abuse insult offensive stupid idiot kill threat threaten harassment hateful'),
]
