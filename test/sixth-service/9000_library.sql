-- beside: 0027
create schema library;

create table library.book (
  id bigint generated always as identity primary key,
  title text not null,
  reader text,
  constraint book_title_key unique (title)
);
