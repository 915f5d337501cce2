"""The one table of the platform's pages: the handlers of each address, and the roles that may use it."""

from typing import Final

from bindery.domain.access.caller import Quota
from bindery.settings import Settings
from bindery.web import home
from bindery.web.account import account, forgotten, signing_in, two_step
from bindery.web.account.confirming import send_confirm, show_confirm
from bindery.web.bind import answering, bind, uploads
from bindery.web.case import beside, case, change, decide, letters, preview, reproduce, rulings, sure
from bindery.web.client import answers, client, papers
from bindery.web.company import (
    another,
    cancel,
    certificates,
    change_settled,
    companies,
    company,
    documents,
    hand_over,
    production,
    renewals,
    send,
    withdraw,
)
from bindery.web.company import change as policy_change
from bindery.web.demo import components
from bindery.web.desk import book, desk
from bindery.web.draft import ask, letter, review, start
from bindery.web.draft import company as draft_company
from bindery.web.draft import options as draft_options
from bindery.web.draft import questions as draft_questions
from bindery.web.frame import live
from bindery.web.frame.route import ANYONE, BOOK, BROKER, OPERATOR, RATED, SIGNED_IN, UNDERWRITER, Route
from bindery.web.frame.static_files import send_static
from bindery.web.ops import (
    binders,
    bordereaux,
    check,
    dashboard,
    deeds,
    filings,
    jobs,
    ledger,
    mails,
    partners,
    system,
    timeline,
    users,
    webhooks,
)
from bindery.web.today import today

EVERYWHERE: Final = (
    Route(path="/", who=ANYONE, get=home.go_home),
    Route(path="/static/{name}", who=ANYONE, get=send_static),
    Route(path="/sign-in", who=ANYONE, get=signing_in.show_sign_in, post=signing_in.send_sign_in),
    Route(path="/sign-in/code", who=ANYONE, get=signing_in.show_code, post=signing_in.send_code),
    Route(path="/forgot-password", who=ANYONE, get=forgotten.show_forgotten, post=forgotten.send_forgotten),
    Route(
        path="/new-password/{token}",
        who=ANYONE,
        get=forgotten.show_new_password,
        post=forgotten.send_new_password,
    ),
    # Links of a broker's client, who has no account.
    Route(path="/s/{token}", who=ANYONE, get=client.show_link, is_link=True),
    Route(path="/s/{token}/choose", who=ANYONE, post=client.send_choice, is_link=True),
    Route(path="/s/{token}/sign", who=ANYONE, get=client.show_sign, post=client.send_sign, is_link=True),
    Route(path="/s/{token}/answers", who=ANYONE, post=answers.send_answers, is_link=True),
    Route(path="/s/{token}/filings.ics", who=ANYONE, get=filings.send_calendar, is_link=True),
    Route(path="/s/{token}/wrong", who=ANYONE, post=client.send_wrong, is_link=True),
    Route(path="/s/{token}/signed", who=ANYONE, get=papers.show_signed, is_link=True),
    Route(path="/s/{token}/paper/{quote_id}/{kind}", who=ANYONE, get=papers.show_paper, is_link=True),
    Route(path="/sign-out", who=SIGNED_IN, post=signing_in.send_sign_out),
    Route(path="/account", who=SIGNED_IN, get=account.show_account),
    Route(path="/account/password", who=SIGNED_IN, post=account.send_password),
    Route(path="/account/scheme", who=SIGNED_IN, post=account.send_scheme),
    Route(path="/account/mails", who=BROKER, post=account.send_mail_choices),
    Route(path="/account/confirm", who=SIGNED_IN, get=show_confirm, post=send_confirm),
    Route(path="/account/two-step", who=SIGNED_IN, get=two_step.show_two_step, post=two_step.send_two_step),
    Route(path="/account/keys", who=SIGNED_IN, post=account.send_keys),
    Route(path="/sure", who=SIGNED_IN, post=sure.ask_if_sure),
    Route(path="/live", who=SIGNED_IN, get=live.stream_live, is_stream=True),
    Route(path="/live/news", who=SIGNED_IN, get=live.show_news),
    Route(path="/live/left", who=UNDERWRITER, post=live.send_left),
    Route(path="/search", who=SIGNED_IN, get=home.search),
    Route(path="/today", who=BROKER, get=today.show_list),
    # Brokers, and underwriters who look at the same book.
    Route(path="/companies", who=BOOK, get=companies.show_companies),
    Route(path="/companies.csv", who=BOOK, get=production.send_csv),
    Route(path="/company/{company_id}", who=BOOK, get=company.show_company),
    Route(
        path="/company/{company_id}/broker",
        who=BROKER,
        get=hand_over.show_hand_over,
        post=hand_over.send_hand_over,
        counted_as=Quota.WRITES,
    ),
    Route(path="/company/{company_id}/compare", who=BOOK, get=company.show_comparison),
    Route(path="/company/{company_id}/changes", who=BOOK, get=company.show_changes),
    Route(
        path="/company/{company_id}/another",
        who=BROKER,
        get=another.show_another,
        post=another.send_another,
        counted_as=Quota.SUBMISSIONS,
    ),
    Route(path="/quote/{quote_id}", who=BOOK, get=company.go_to_company),
    Route(path="/quote/{quote_id}/document/{kind}", who=BOOK, get=documents.show_document),
    Route(path="/quote/{quote_id}/upload/{document_id}", who=BOOK, get=documents.send_back_upload),
    Route(
        path="/quote/{quote_id}/uploads",
        who=BROKER,
        post=uploads.send_upload,
        counted_as=Quota.UPLOADS,
    ),
    Route(
        path="/question/{question_id}",
        who=BROKER,
        get=answering.go_to_question,
        post=answering.send_answer,
        counted_as=Quota.WRITES,
        file_is_optional=True,
    ),
    Route(
        path="/quote/{quote_id}/bind",
        who=BROKER,
        get=bind.show_bind,
        post=bind.send_bind,
        counted_as=Quota.WRITES,
        file_is_optional=True,
    ),
    Route(
        path="/quote/{quote_id}/bind/preview",
        who=BROKER,
        post=bind.send_preview,
        file_is_optional=True,
    ),
    Route(
        path="/company/{company_id}/send",
        who=BROKER,
        get=send.show_send,
        post=send.send_to_client,
        counted_as=Quota.WRITES,
    ),
    Route(path="/link/{link_id}/again", who=BROKER, post=send.send_again, counted_as=Quota.WRITES),
    Route(path="/link/{link_id}/take-back", who=BROKER, post=send.take_back, counted_as=Quota.WRITES),
    Route(
        path="/quote/{quote_id}/withdraw",
        who=BROKER,
        get=withdraw.show_withdrawal,
        post=withdraw.send_withdrawal,
        counted_as=Quota.WRITES,
    ),
    Route(
        path="/policy/{quote_id}/cancel",
        who=BROKER,
        get=cancel.show_cancellation,
        post=cancel.send_cancellation,
        counted_as=Quota.WRITES,
    ),
    Route(
        path="/policy/{quote_id}/change",
        who=BROKER,
        get=policy_change.show_change,
        post=policy_change.send_change,
        counted_as=Quota.WRITES,
    ),
    Route(path="/policy/{quote_id}/changes", who=BOOK, get=change_settled.show_changes),
    Route(
        path="/policy/{quote_id}/changes/{change_id}/accept",
        who=BROKER,
        get=change_settled.show_accept,
        post=change_settled.send_accept,
        counted_as=Quota.WRITES,
    ),
    Route(
        path="/policy/{quote_id}/changes/{change_id}/withdraw",
        who=BROKER,
        get=change_settled.show_withdraw,
        post=change_settled.send_withdraw,
        counted_as=Quota.WRITES,
    ),
    Route(path="/policy/{quote_id}/certificates", who=BOOK, get=certificates.show_certificates),
    Route(
        path="/policy/{quote_id}/certificates/one",
        who=BROKER,
        post=certificates.send_one,
        counted_as=Quota.WRITES,
    ),
    Route(
        path="/policy/{quote_id}/certificates/many",
        who=BROKER,
        post=certificates.send_many,
        counted_as=Quota.UPLOADS,
    ),
    Route(path="/policy/{quote_id}/certificates.csv", who=BOOK, get=certificates.send_csv),
    Route(path="/policy/{quote_id}/certificates/template.csv", who=BROKER, get=certificates.send_template),
    Route(path="/policy/{quote_id}/certificates/{issue_id}.zip", who=BOOK, get=certificates.send_zip),
    Route(path="/policy/{quote_id}/certificates/{number}", who=BOOK, get=certificates.send_pdf),
    Route(
        path="/policy/{quote_id}/renewal",
        who=BROKER,
        post=renewals.send_renewal,
        counted_as=Quota.WRITES,
    ),
    # Quotes entered by hand.
    Route(path="/new", who=BROKER, get=start.show_new, post=start.send_new, counted_as=Quota.UPLOADS),
    Route(path="/drafts", who=BROKER, get=start.show_drafts),
    Route(path="/draft/{draft_id}", who=BROKER, get=start.go_to_draft),
    Route(
        path="/draft/{draft_id}/company",
        who=BROKER,
        get=draft_company.show_company,
        post=draft_company.send_company,
    ),
    Route(path="/draft/{draft_id}/company/save", who=BROKER, post=draft_company.save_company),
    Route(
        path="/draft/{draft_id}/questions",
        who=BROKER,
        get=draft_questions.show_questions,
        post=draft_questions.send_questions,
    ),
    Route(path="/draft/{draft_id}/questions/save", who=BROKER, post=draft_questions.save_questions),
    Route(
        path="/draft/{draft_id}/options",
        who=BROKER,
        get=draft_options.show_options,
        post=draft_options.send_options,
    ),
    Route(path="/draft/{draft_id}/options/save", who=BROKER, post=draft_options.save_options),
    Route(
        path="/draft/{draft_id}/review",
        who=BROKER,
        get=review.show_review,
        post=review.send_review,
        counted_as=Quota.SUBMISSIONS,
    ),
    Route(
        path="/draft/{draft_id}/ask", who=BROKER, get=ask.show_ask, post=ask.send_ask, counted_as=Quota.WRITES
    ),
    Route(
        path="/draft/{draft_id}/letter",
        who=BROKER,
        get=letter.show_letter,
        post=letter.send_file,
        counted_as=Quota.UPLOADS,
    ),
    Route(path="/draft/{draft_id}/answers", who=BROKER, post=ask.send_answers, counted_as=Quota.WRITES),
    Route(path="/draft/{draft_id}/delete", who=BROKER, post=start.send_delete, counted_as=Quota.WRITES),
    Route(path="/renewals", who=BROKER, get=renewals.show_renewals),
    Route(path="/renewals.csv", who=BROKER, get=renewals.send_csv),
    # The underwriters' desk.
    Route(path="/desk", who=UNDERWRITER, get=desk.show_desk),
    Route(path="/desk/next", who=UNDERWRITER, post=desk.go_to_next),
    Route(path="/desk/take", who=UNDERWRITER, post=desk.send_picked),
    Route(path="/desk/hand-over", who=UNDERWRITER, post=desk.send_hand_over),
    Route(path="/desk/renewals", who=UNDERWRITER, get=book.show_book),
    Route(path="/desk/renewals.csv", who=UNDERWRITER, get=book.send_csv),
    Route(
        path="/desk/renewals/{quote_id}", who=UNDERWRITER, get=rulings.show_policy, post=rulings.send_ruling
    ),
    Route(path="/desk/letters", who=UNDERWRITER, get=letters.show_letters),
    Route(path="/desk/letters/{letter_id}", who=UNDERWRITER, post=letters.send_letter_decision),
    Route(path="/desk/letters/{letter_id}/file", who=UNDERWRITER, get=letters.send_letter_file),
    Route(path="/desk/case/{submission_id}", who=UNDERWRITER, get=case.open_case),
    Route(path="/desk/case/{submission_id}/reproduce", who=RATED, get=reproduce.show_reproduction),
    Route(path="/desk/case/{submission_id}/preview", who=UNDERWRITER, post=preview.send_preview),
    Route(path="/desk/case/{submission_id}/second", who=UNDERWRITER, post=decide.send_second),
    Route(path="/desk/case/{submission_id}/decide", who=UNDERWRITER, post=decide.send_decision),
    Route(path="/desk/case/{submission_id}/change", who=UNDERWRITER, post=change.send_change),
    Route(path="/desk/case/{submission_id}/offer", who=UNDERWRITER, post=decide.send_offer),
    Route(path="/desk/case/{submission_id}/take", who=UNDERWRITER, post=case.send_take),
    Route(path="/desk/case/{submission_id}/note", who=UNDERWRITER, post=beside.send_note),
    Route(path="/desk/case/{submission_id}/ask", who=UNDERWRITER, post=beside.send_question),
    Route(path="/desk/case/{submission_id}/go-on", who=UNDERWRITER, post=beside.send_going_on),
    Route(path="/desk/case/{submission_id}/contingency", who=UNDERWRITER, post=beside.send_contingency),
    # Operators, who see ids and states and nothing of applicants.
    Route(path="/ops", who=OPERATOR, get=dashboard.show_dashboard),
    Route(path="/ops/figures/{picture}.csv", who=OPERATOR, get=dashboard.send_figures),
    Route(path="/ops/partners", who=OPERATOR, get=partners.show_partners, post=partners.send_partner),
    Route(path="/ops/partners/{key}", who=OPERATOR, get=partners.show_partner),
    Route(path="/ops/partners/{key}/brokers", who=OPERATOR, post=partners.send_broker),
    Route(path="/ops/partners/{key}/remove-broker", who=OPERATOR, post=partners.send_removal),
    Route(path="/ops/partners/{key}/contact", who=OPERATOR, post=partners.send_contact),
    Route(path="/ops/partners/{key}/tokens", who=OPERATOR, post=partners.send_token),
    Route(path="/ops/partners/{key}/revoke", who=OPERATOR, post=partners.send_revocation),
    Route(path="/ops/tokens", who=OPERATOR, get=partners.show_tokens),
    Route(path="/ops/brokers", who=OPERATOR, get=partners.show_brokers),
    Route(path="/ops/users", who=OPERATOR, get=users.show_users, post=users.send_user),
    Route(path="/ops/users/{user_id}", who=OPERATOR, get=users.show_user, post=users.send_user_change),
    Route(path="/ops/users/{user_id}/invitation", who=OPERATOR, post=users.send_invitation),
    Route(path="/ops/users/{user_id}/role", who=OPERATOR, post=users.send_role),
    Route(path="/ops/users/{user_id}/authority", who=OPERATOR, post=users.send_authority),
    Route(path="/ops/webhooks", who=OPERATOR, get=webhooks.show_webhooks),
    Route(
        path="/ops/webhooks/{webhook_id}",
        who=OPERATOR,
        get=webhooks.show_webhook,
        post=webhooks.send_ping,
    ),
    Route(path="/ops/webhooks/{webhook_id}/step", who=OPERATOR, post=webhooks.send_step),
    Route(
        path="/ops/webhooks/{webhook_id}/recover",
        who=OPERATOR,
        get=webhooks.show_recovery,
        post=webhooks.send_recovery,
    ),
    Route(
        path="/ops/deliveries/{delivery_id}",
        who=OPERATOR,
        get=webhooks.show_delivery,
        post=webhooks.send_delivery_again,
    ),
    Route(path="/ops/jobs", who=OPERATOR, get=jobs.show_jobs, post=jobs.send_retry),
    Route(path="/ops/mails", who=OPERATOR, get=mails.show_mails),
    Route(path="/ops/mails/{mail_id}", who=OPERATOR, get=mails.show_mail, post=mails.send_again),
    Route(path="/ops/check", who=OPERATOR, get=check.show_check),
    Route(path="/ops/deeds", who=OPERATOR, get=deeds.show_deeds),
    Route(path="/ops/deeds.csv", who=OPERATOR, get=deeds.send_csv),
    Route(path="/ops/binders", who=OPERATOR, get=binders.show_binders),
    Route(path="/ops/filings", who=OPERATOR, get=filings.show_filings),
    Route(path="/ops/filings/report.csv", who=OPERATOR, get=filings.send_report),
    Route(path="/ops/filings/calendar", who=OPERATOR, post=filings.send_calendar_change),
    Route(
        path="/ops/filings/{state}/{code}/{period}",
        who=OPERATOR,
        get=filings.show_filing,
        post=filings.send_filing,
    ),
    Route(path="/ops/bordereaux", who=OPERATOR, get=bordereaux.show_bordereaux),
    Route(path="/ops/bordereaux/{bordereau_id}/sent", who=OPERATOR, post=bordereaux.send_sent),
    Route(path="/ops/bordereaux/{bordereau_id}/{format}", who=OPERATOR, get=bordereaux.send_file),
    Route(path="/ops/ledger", who=OPERATOR, get=ledger.show_ledger),
    Route(path="/ops/ledger.csv", who=OPERATOR, get=ledger.send_csv),
    Route(path="/ops/settings", who=OPERATOR, get=system.show_settings),
    Route(path="/ops/quote/{quote_id}", who=OPERATOR, get=timeline.show_timeline),
    Route(path="/ops/journal/{quote_id}", who=OPERATOR, get=system.show_journal),
)

DEMO_ONLY: Final = (
    Route(path="/demo/sign-in", who=ANYONE, post=signing_in.send_demo),
    Route(path="/demo/components", who=ANYONE, get=components.show_components),
)

PAGES: Final = (*EVERYWHERE, *DEMO_ONLY)


def pages_of(settings: Settings) -> tuple[Route, ...]:
    return PAGES if settings.is_demo else EVERYWHERE
