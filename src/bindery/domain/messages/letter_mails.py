from bindery.domain.messages.mails import Link, Mail, MailMessage, in_one_line
from bindery.domain.quote.record_letter import LetterDecision, RecordLetter


def letter_mail(letter: RecordLetter, *, platform_url: str) -> Mail:
    """Notify the sender of a broker-of-record letter of the underwriter's decision."""
    is_accepted = letter.decision is LetterDecision.ACCEPTED
    insured = in_one_line(letter.insured) or "your client"
    what = "accepted" if is_accepted else "not accepted"
    step = "review" if is_accepted else "letter"
    return Mail(
        kind=f"record_letter_{letter.letter_id.int}",
        recipients=(letter.uploaded_by,),
        subject=f"{insured}: the broker-of-record letter is {what}",
        message=MailMessage(
            heading=f"The letter is {what}",
            greeting="Hello,",
            sentences=(f"An underwriter has {what} the broker-of-record letter of {insured}.",),
            rows=(("The underwriter writes", in_one_line(letter.reason)),) if letter.reason.strip() else (),
            next_step="The quote can be sent."
            if is_accepted
            else "Upload another letter, or ask the underwriters.",
            link=Link("Open the draft", f"{platform_url}/draft/{letter.draft_id}/{step}"),
        ),
    )
