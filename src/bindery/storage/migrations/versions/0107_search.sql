-- Search that forgives: what a company is found by, in words without capitals, accents and signs.

-- Letters by code, not by the collation: in some databases `lower` knows the letters of English alone. Apostrophes, and
-- marks that stand after their letter, are dropped; other signs separate words.
create function folded(given text) returns text language sql immutable strict parallel safe as $$
    select btrim(regexp_replace(translate(lower(case
        when octet_length(given) = length(given) then given
        else regexp_replace(
            replace(replace(replace(replace(replace(replace(replace(translate(given,
            'ÀÁÂÃÄÅÇÈÉÊËÌÍÎÏÐÑÒÓÔÕÖØÙÚÛÜÝàáâãäåçèéêëìíîïðñòóôõöøùúûüýÿĀāĂăĄąĆćĈĉĊċČčĎďĐđĒēĔĕĖėĘęĚěĜĝĞ'
            || 'ğĠġĢģĤĥĦħĨĩĪīĬĭĮįİıĴĵĶķĸĹĺĻļĽľŁłŃńŅņŇňŊŋŌōŎŏŐőŔŕŖŗŘřŚśŜŝŞşŠšŢţŤťŦŧŨũŪūŬŭŮůŰűŲųŴŵŶŷŸŹźŻżŽ'
            || 'žſǍǎǏǐǑǒǓǔǕǖǗǘǙǚǛǜȘșȚțƠơƯưḀḁḂḃḄḅḆḇḈḉḊḋḌḍḎḏḐḑḒḓḔḕḖḗḘḙḚḛḜḝḞḟḠḡḢḣḤḥḦḧḨḩḪḫḬḭḮḯḰḱḲḳḴḵḶḷḸḹḺḻḼḽ'
            || 'ḾḿṀṁṂṃṄṅṆṇṈṉṊṋṌṍṎṏṐṑṒṓṔṕṖṗṘṙṚṛṜṝṞṟṠṡṢṣṤṥṦṧṨṩṪṫṬṭṮṯṰṱṲṳṴṵṶṷṸṹṺṻṼṽṾṿẀẁẂẃẄẅẆẇẈẉẊẋẌẍẎẏẐẑẒẓẔẕ'
            || 'ẖẗẘẙẛẠạẢảẤấẦầẨẩẪẫẬậẮắẰằẲẳẴẵẶặẸẹẺẻẼẽẾếỀềỂểỄễỆệỈỉỊịỌọỎỏỐốỒồỔổỖỗỘộỚớỜờỞởỠỡỢợỤụỦủỨứỪừỬửỮữỰựỲ'
            || 'ỳỴỵỶỷỸỹ'
            || '’ʼ',
            'aaaaaaceeeeiiiidnoooooouuuuyaaaaaaceeeeiiiidnoooooouuuuyyaaaaaaccccccccddddeeeeeeeeeeggg'
            || 'ggggghhhhiiiiiiiiiijjkkkllllllllnnnnnnnnoooooorrrrrrssssssssttttttuuuuuuuuuuuuwwyyyzzzzz'
            || 'zsaaiioouuuuuuuuuussttoouuaabbbbbbccddddddddddeeeeeeeeeeffgghhhhhhhhhhiiiikkkkkkllllllll'
            || 'mmmmmmnnnnnnnnoooooooopppprrrrrrrrssssssssssttttttttuuuuuuuuuuvvvvwwwwwwwwwwxxxxyyzzzzzz'
            || 'htwysaaaaaaaaaaaaaaaaaaaaaaaaeeeeeeeeeeeeeeeeiiiioooooooooooooooooooooooouuuuuuuuuuuuuuy'
            || 'yyyyyyy'),
            'ß', 'ss'), 'æ', 'ae'), 'Æ', 'ae'), 'œ', 'oe'), 'Œ', 'oe'), 'þ', 'th'), 'Þ', 'th'),
            U&'[\0300-\036f]', '', 'g')
    end), E'!"#$%&()*+,-./:;<=>?@[\\]^_{|}~\t\n\r''`', repeat(' ', 33)), ' +', ' ', 'g'))
$$;

-- The words by which a text is found. A number is found by its beginning; that of a company also by its last six and
-- four digits, that of a policy (`CYB-26-0000088-5-00`) also by its running number, with or without the zeros.
create function search_words(kind text, given text) returns text language sql immutable strict parallel safe as $$
    select case kind
        when 'company' then given || ' ' || right(given, 6) || ' ' || right(given, 4)
        when 'policy' then concat_ws(' ', replace(folded(given), ' ', ''),
                                     nullif(substr(replace(folded(given), ' ', ''), 6), ''),
                                     nullif(ltrim(substr(replace(folded(given), ' ', ''), 6), '0'), ''))
        else folded(given)
    end
$$;

-- A row for each number, name, trade name, domain and contact of a company, in the words of any of its submissions.
create table search_texts (
    company_id integer not null,
    kind text not null check (kind in ('company', 'policy', 'name', 'dba', 'domain', 'contact')),
    text text not null check (length(text) <= 300),
    partner_id integer not null,
    words text not null,
    primary key (company_id, kind, text)
);

create function search_vector(words text) returns tsvector language sql immutable strict parallel safe as $$
    select array_to_tsvector(string_to_array(words, ' '))
$$;

-- A policy is found from the moment on in which it has its number.
create function find_policy_by_number() returns trigger language plpgsql as $$
begin
    insert into search_texts (company_id, kind, text, partner_id, words)
    values (new.company_id, 'policy', new.policy_number, new.partner_id, search_words('policy', new.policy_number))
    on conflict do nothing;
    return null;
end $$;
create trigger policy_is_found after insert or update of policy_number on binds
    for each row when (new.policy_number is not null) execute function find_policy_by_number();

-- What is there already. A body that cannot be read leaves a company with its number, name and policies.
create function pg_temp.searched(body text) returns table (kind text, given text) language plpgsql as $$
declare
    client json;
begin
    client := body::json -> 'client';
    return query
        select 'dba', client ->> 'dba'
        union all select 'domain', d from json_array_elements_text(
            case when json_typeof(client -> 'domains') = 'array' then client -> 'domains' else '[]' end) d
        union all select 'contact', concat_ws(' ', c ->> 'first_name', c ->> 'last_name', c ->> 'email')
        from json_array_elements(
            case when json_typeof(client -> 'additional_contacts') = 'array'
                 then client -> 'additional_contacts' else '[]' end) c
        union all select 'contact', concat_ws(' ', client #>> '{insured_main_contact,first_name}',
            client #>> '{insured_main_contact,last_name}', client #>> '{insured_main_contact,email}');
exception when others then
    return;
end $$;

insert into search_texts (company_id, kind, text, partner_id, words)
select company_id, kind, left(btrim(given), 300), min(partner_id), search_words(kind, left(btrim(given), 300))
from (
    select company_id, 'company' as kind, company_id::text as given, partner_id from companies
    union all select company_id, 'policy', policy_number, partner_id from binds where policy_number is not null
    union all select company_id, 'name', name, partner_id from submissions
    union all select s.company_id, f.kind, f.given, s.partner_id
    from submissions s, lateral pg_temp.searched(s.body) f
) found
where btrim(given) <> ''
group by company_id, kind, left(btrim(given), 300);

create index search_texts_by_words on search_texts using gin (search_vector(words));

-- Parts of words are found where the server has pg_trgm and lets this role create it; all the rest works without.
do $$
begin
    create extension if not exists pg_trgm;
    create index search_texts_by_parts on search_texts using gin (words gin_trgm_ops);
exception when feature_not_supported or undefined_file or insufficient_privilege or undefined_object
    or invalid_schema_name then
    raise notice 'pg_trgm cannot be created here: search finds beginnings of words, not parts of them';
end $$;
